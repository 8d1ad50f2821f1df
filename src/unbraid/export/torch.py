"""Decoupled functions as PyTorch modules, to train on or to build into larger models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..function import DecoupledFunction
from ._support import load_extra

if TYPE_CHECKING:
    from ._torch_module import DecoupledModule


def to_torch(d: DecoupledFunction, dtype: Any = None) -> DecoupledModule:
    """A decoupled function as a ``torch.nn.Module`` of p, (m,) or (N, m).

    W, V, the offset and the coefficients of the branches are its parameters: a spline stays a
    spline while it is trained, and goes on straight from wherever its edge has moved.

    Parameters
    ----------
    d : DecoupledFunction
    dtype : torch.dtype, optional
        Double precision unless given.

    Examples
    --------
    >>> import unbraid
    >>> from unbraid.export import to_torch
    >>> points = unbraid.sampling.uniform(60, [-1, -1], [1, 1], random_state=0)
    >>> d = unbraid.decouple(lambda p: p[:, :1] * p[:, 1:], points, n_branches=2,
    ...                      basis=unbraid.Polynomial(2), random_state=0)
    >>> module = to_torch(d)
    >>> [name for name, _ in module.named_parameters()][:3]
    ['W', 'V', 'offset']
    """
    torch = load_extra("torch")
    from ._torch_module import DecoupledModule

    module: DecoupledModule = DecoupledModule(d).to(torch.float64 if dtype is None else dtype)
    return module
