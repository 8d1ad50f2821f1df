"""PyTorch modules and functions of tensors, with Jacobians by reverse mode."""

from __future__ import annotations

import dataclasses
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from .._typing import Array
from ..errors import SamplingError
from ._batches import map_batches
from ._evaluator import find_style
from ._packages import comes_from

PRECISIONS = ("float64", "float32", "bfloat16", "float16")


class NotDifferentiableError(SamplingError):
    """For torch, the result does not depend on the input."""


def is_torch(model: Any) -> bool:
    """Return whether it is a module or another callable of torch.

    >>> is_torch(abs)
    False
    """
    return callable(model) and comes_from(model, "torch")


def wrap_torch_model(model: Any) -> TorchFunction:
    """Wrap a module or a scripted function of torch as a function of arrays."""
    import torch

    if not isinstance(model, torch.nn.Module):
        return TorchFunction(model, torch.float64)
    tensors = [*model.parameters(), *model.buffers()]
    like = next((t for t in tensors if t.is_floating_point()), torch.zeros(1, dtype=torch.float64))
    return TorchFunction(model, like.dtype, like.device)


def trace_with_torch(f: Callable[..., Any], probe: Array, takes_arrays: bool) -> Any:
    """Wrap a plain callable that works on tensors, or return None.

    Tensors of every precision are tried, since f may hold a network of any precision.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    for name in PRECISIONS:
        function = TorchFunction(f, getattr(torch, name))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                function.jacobian(probe)
        except NotDifferentiableError:
            return None if takes_arrays else function.__call__
        except SamplingError:
            raise
        except Exception:
            continue
        return function
    return None


class TorchFunction:
    """A callable of tensors as a function of arrays.

    A module is evaluated in evaluation mode: without dropout, and with the stored statistics of
    batch norms. The mode of every part is restored afterwards. Points are cast to the precision of
    the parameters.
    """

    def __init__(self, model: Callable[..., Any], dtype: Any, device: Any = "cpu") -> None:
        self.model = model
        self.dtype, self.device = dtype, device
        training = bool(_find_training_parts(model))
        self.source = "exact, by torch" + (" (evaluation mode)" if training else "")
        self._style: str | None = None

    def __call__(self, points: Any) -> Any:
        """Values (N, n)."""
        return self._run(points, self._evaluate_rows)

    def jacobian(self, points: Any) -> Any:
        """Jacobians (N, n, m)."""
        return self._run(points, self._differentiate)

    def _run(self, points: Any, function: Callable[[Any], Any]) -> Any:
        import torch

        table = np.array(points, dtype=float, ndmin=2)  # a copy: torch warns of read-only memory
        with _evaluation_mode(self.model), torch.inference_mode(False), torch.enable_grad():
            if self._style is None:
                self._style = find_style(lambda p: _to_numpy(self._call(self._tensor(p))), table)
            return map_batches(lambda batch: _to_numpy(function(self._tensor(batch))), table)

    def _tensor(self, points: Any) -> Any:
        import torch

        return torch.as_tensor(np.array(points), dtype=self.dtype, device=self.device)

    def _evaluate_rows(self, inputs: Any) -> Any:
        import torch

        if self._style == "point":
            return torch.stack([self._call(row).reshape(-1) for row in inputs])
        return self._call(inputs).reshape(len(inputs), -1)

    def _call(self, inputs: Any) -> Any:
        try:
            outputs = self.model(inputs)
        except Exception as error:
            if _takes_integers(self.model, inputs):
                raise SamplingError(
                    f"{_name(self.model)} takes integers, so it has no derivative: decouple the "
                    f"part of it behind the embedding"
                ) from error
            raise
        return _check_tensor(self.model, outputs)

    def _differentiate(self, inputs: Any) -> Any:
        """Rows are independent, so one backward pass per output serves all of them."""
        import torch

        inputs.requires_grad_(True)
        outputs = self._evaluate_rows(inputs)
        if outputs.shape[1] == 0:
            raise SamplingError(f"{_name(self.model)} returns no outputs: there must be one")
        columns = outputs.T if outputs.requires_grad else []
        parts = [
            torch.autograd.grad(column.sum(), inputs, retain_graph=True, allow_unused=True)[0]
            for column in columns
        ]
        if all(part is None for part in parts):
            raise NotDifferentiableError(
                f"torch finds no derivative of {_name(self.model)} by its input (detached, or "
                f"under no_grad inside?); for central differences pass a callable of arrays: "
                f"lambda p: model(torch.as_tensor(p, dtype=...)).detach().numpy()"
            )
        zeros = torch.zeros_like(inputs)
        return torch.stack([zeros if part is None else part for part in parts], dim=1)


def _name(model: Any) -> str:
    return getattr(model, "__name__", type(model).__name__)


def _find_training_parts(model: Any) -> list[Any]:
    """The parts of a module that are in training mode."""
    if not any(kind.__name__ == "Module" for kind in type(model).__mro__):
        return []
    return [part for part in model.modules() if getattr(part, "training", False)]


@contextmanager
def _evaluation_mode(model: Any) -> Iterator[None]:
    """Switch to evaluation mode, and restore the mode of every part at the end."""
    training = _find_training_parts(model)
    try:
        if training:
            model.eval()
        yield
    finally:
        for part in training:
            part.training = True


def _takes_integers(model: Any, inputs: Any) -> bool:
    import torch

    try:
        model(torch.zeros_like(inputs, dtype=torch.long))
    except Exception:
        return False
    return True


def _check_tensor(model: Any, outputs: Any) -> Any:
    """Return the outputs if they are a tensor, else say how to select one."""
    import torch

    if isinstance(outputs, torch.Tensor):
        return outputs
    if isinstance(outputs, Mapping):
        keys = list(map(repr, outputs))
        what, pick = f"a mapping with {', '.join(keys)}", f"[{keys[0]}]" if keys else ""
    elif dataclasses.is_dataclass(outputs):
        names = [field.name for field in dataclasses.fields(outputs)]
        what, pick = f"a {_name(outputs)} with {', '.join(names)}", f".{names[0]}" if names else ""
    elif isinstance(outputs, (tuple, list)):
        what, pick = f"a {type(outputs).__name__} of {len(outputs)}", "[0]"
    else:
        raise TypeError(f"{_name(model)} returned {type(outputs).__name__}, not a tensor")
    raise SamplingError(
        f"{_name(model)} returned {what}, where one tensor is needed; select it: "
        f"lambda p: model(p){pick}"
    )


def _to_numpy(tensor: Any) -> Any:
    """Convert to NumPy; half precision becomes single, since NumPy has no bfloat16."""
    import torch

    tensor = tensor.detach().cpu()
    half = tensor.dtype in (torch.float16, torch.bfloat16)
    return (tensor.float() if half else tensor).numpy()
