"""Decoupled functions as PyTorch modules, to train on or to build into larger models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import InvalidOption
from ..model._function import DecoupledFunction
from ._support import check_function, load_extra

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
    check_function(d)
    torch = load_extra("torch")
    dtype = torch.float64 if dtype is None else dtype
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        raise InvalidOption(f"dtype is {dtype!r}: pass a real one of torch, as torch.float32")
    from ._torch_module import DecoupledModule

    module: DecoupledModule = DecoupledModule(d).to(dtype)
    if not all(bool(torch.isfinite(number).all()) for number in module.parameters()):
        raise InvalidOption(
            f"this function has numbers beyond the range of {dtype}: export it in double precision"
        )
    return module
