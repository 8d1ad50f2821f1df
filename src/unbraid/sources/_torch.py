"""PyTorch modules, and functions of tensors, with Jacobians by reverse accumulation."""

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
from ._batches import in_batches
from ._callables import style_of

PRECISIONS = ("float64", "float32", "bfloat16", "float16")


class NotDifferentiable(SamplingError):
    """The outcome does not hang together with the input in the eyes of torch."""


def is_torch(model: Any) -> bool:
    """Is it a module or another callable of torch? Asked of its ancestors, without importing.

    >>> is_torch(abs)
    False
    """
    return callable(model) and any(
        str(k.__module__).split(".")[0] == "torch" for k in _kinds(model)
    )


def _kinds(model: Any) -> tuple[type[Any], ...]:
    return type(model).__mro__


def torch_function(model: Any) -> Any:
    """A module or scripted function of torch as a function of arrays."""
    import torch

    if not isinstance(model, torch.nn.Module):
        return TorchFunction(model, torch.float64)
    held = [*model.parameters(), *model.buffers()]
    like = next((t for t in held if t.is_floating_point()), torch.zeros(1, dtype=torch.float64))
    return TorchFunction(model, like.dtype, like.device)


def torch_callable(f: Callable[..., Any], probe: Array, takes_arrays: bool) -> Any:
    """A plain callable that works on tensors, as such; None if it does not.

    Tensors of every precision are tried: f may hold a network of any.
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
        except NotDifferentiable:
            return None if takes_arrays else function.__call__
        except SamplingError:
            raise
        except Exception:
            continue
        return function
    return None


class TorchFunction:
    """A callable of tensors as a function of arrays.

    A module is evaluated in evaluation mode, so without dropout and with the stored statistics of
    batch norms; every part of it is in its own mode again afterwards. Points are cast to the
    precision of the parameters.
    """

    def __init__(self, model: Callable[..., Any], dtype: Any, device: Any = "cpu") -> None:
        self.model = model
        self.dtype, self.device = dtype, device
        self.source = "exact, by torch" + (" (evaluation mode)" if _in_training(model) else "")
        self._style: str | None = None

    def __call__(self, points: Any) -> Any:
        """Values (N, n)."""
        return self._run(points, self._rows)

    def jacobian(self, points: Any) -> Any:
        """Jacobians (N, n, m)."""
        return self._run(points, self._slopes)

    def _run(self, points: Any, work: Callable[[Any], Any]) -> Any:
        import torch

        table = np.array(points, dtype=float, ndmin=2)  # a copy: torch dislikes read-only memory
        with _evaluating(self.model), torch.inference_mode(False), torch.enable_grad():
            if self._style is None:
                self._style = style_of(lambda p: _array(self._called(self._tensor(p))), table)
            return in_batches(lambda part: _array(work(self._tensor(part))), table)

    def _tensor(self, points: Any) -> Any:
        import torch

        return torch.as_tensor(np.array(points), dtype=self.dtype, device=self.device)

    def _rows(self, inputs: Any) -> Any:
        import torch

        if self._style == "point":
            return torch.stack([self._called(row).reshape(-1) for row in inputs])
        return self._called(inputs).reshape(len(inputs), -1)

    def _called(self, inputs: Any) -> Any:
        try:
            outputs = self.model(inputs)
        except Exception as error:
            if _takes_integers(self.model, inputs):
                raise SamplingError(
                    f"{_name(self.model)} takes integers, so it has no derivative: decouple the "
                    f"part of it behind the embedding"
                ) from error
            raise
        return _one_tensor(self.model, outputs)

    def _slopes(self, inputs: Any) -> Any:
        """Rows are independent, so one backward pass an output serves all of them."""
        import torch

        inputs.requires_grad_(True)
        outputs = self._rows(inputs)
        if outputs.shape[1] == 0:
            raise SamplingError(f"{_name(self.model)} returns no outputs: there must be one")
        if not outputs.requires_grad:
            raise self._refusal()
        parts = [
            torch.autograd.grad(column.sum(), inputs, retain_graph=True, allow_unused=True)[0]
            for column in outputs.T
        ]
        if all(part is None for part in parts):
            raise self._refusal()
        zeros = torch.zeros_like(inputs)
        return torch.stack([zeros if part is None else part for part in parts], dim=1)

    def _refusal(self) -> NotDifferentiable:
        return NotDifferentiable(
            f"torch finds no derivative of {_name(self.model)} by its input (detached, or under "
            f"no_grad inside?); for central differences pass a callable of arrays: "
            f"lambda p: model(torch.as_tensor(p, dtype=...)).detach().numpy()"
        )


def _name(model: Any) -> str:
    return getattr(model, "__name__", type(model).__name__)


def _in_training(model: Any) -> list[Any]:
    """The parts of a module that are in training mode."""
    if not any(kind.__name__ == "Module" for kind in _kinds(model)):
        return []
    return [part for part in model.modules() if getattr(part, "training", False)]


@contextmanager
def _evaluating(model: Any) -> Iterator[None]:
    """Evaluation mode, and back to what it was part by part."""
    training = _in_training(model)
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


def _one_tensor(model: Any, outputs: Any) -> Any:
    """The tensor that a model returned, or an error that says how to pick one."""
    import torch

    if isinstance(outputs, torch.Tensor):
        return outputs
    if dataclasses.is_dataclass(outputs) and not isinstance(outputs, Mapping):
        names = [field.name for field in dataclasses.fields(outputs)]
        what, pick = f"a {_name(outputs)} with {', '.join(names)}", f".{names[0]}" if names else ""
    elif isinstance(outputs, Mapping):
        keys = list(map(repr, outputs))
        what, pick = f"a mapping with {', '.join(keys)}", f"[{keys[0]}]" if keys else ""
    elif isinstance(outputs, (tuple, list)):
        what, pick = f"a {type(outputs).__name__} of {len(outputs)}", "[0]"
    else:
        raise TypeError(f"{_name(model)} returned {type(outputs).__name__}, not a tensor")
    raise SamplingError(
        f"{_name(model)} returned {what}, where one tensor is needed; pick it: "
        f"lambda p: model(p){pick}"
    )


def _array(tensor: Any) -> Any:
    """As numpy; half precision, which it lacks in part, as single."""
    import torch

    tensor = tensor.detach().cpu()
    half = tensor.dtype in (torch.float16, torch.bfloat16)
    return (tensor.float() if half else tensor).numpy()
