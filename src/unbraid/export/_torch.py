"""Decoupled functions as PyTorch modules, for training or for larger models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import InvalidOptionError
from ..model._function import DecoupledFunction
from ._support import check_function, load_extra

if TYPE_CHECKING:
    from ._torch_module import DecoupledModule


def to_torch(d: DecoupledFunction, dtype: Any = None) -> DecoupledModule:
    """A decoupled function as a ``torch.nn.Module`` of p, (m,) or (N, m).

    W, V, the offset and the coefficients of the branches are its parameters. A spline stays a
    spline while it is trained, and extrapolates linearly from wherever its edge has moved.

    Parameters
    ----------
    d : DecoupledFunction
    dtype : torch.dtype, optional
        By default torch.float64.

    Examples
    --------
    >>> import unbraid
    >>> toy = unbraid.cases.toy_samples(random_state=0)
    >>> d = unbraid.decouple(toy, n_branches=3, random_state=0)
    >>> module = unbraid.export.to_torch(d)
    >>> [name for name, _ in module.named_parameters()][:3]
    ['W', 'V', 'offset']
    """
    check_function(d)
    torch = load_extra("torch")
    dtype = torch.float64 if dtype is None else dtype
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        raise InvalidOptionError(f"dtype is {dtype!r}: pass a real one of torch, as torch.float32")
    from ._torch_module import DecoupledModule

    module: DecoupledModule = DecoupledModule(d).to(dtype)
    if not all(bool(torch.isfinite(value).all()) for value in module.parameters()):
        raise InvalidOptionError(
            f"this function has parameters beyond the range of {dtype}: export it in double "
            f"precision"
        )
    return module
