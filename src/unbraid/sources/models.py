"""Models that are not plain callables of arrays: seen by what they are, never imported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InvalidOption

ROWS = 4096  # points that go through a network at once


def as_function(model: Any) -> Callable[..., Any]:
    """The static map of a model: a PyTorch module, anything with ``predict``, or a callable.

    >>> as_function(abs) is abs
    True
    """
    if is_torch_module(model):
        return TorchFunction(model)
    predict = getattr(model, "predict", None)
    if callable(predict):
        return predict  # type: ignore[no-any-return]
    if callable(model):
        return model  # type: ignore[no-any-return]
    raise InvalidOption(
        f"cannot evaluate {type(model).__name__}: pass a callable of points, a PyTorch module or a "
        f"model with predict(points); to decouple data, Samples(points, values, jacobians)"
    )


def is_torch_module(model: Any) -> bool:
    """Is it a torch.nn.Module? Asked of its ancestors, so that torch need not be there."""
    kinds = type(model).__mro__
    return any(k.__module__ == "torch.nn.modules.module" and k.__name__ == "Module" for k in kinds)


@dataclass(frozen=True)
class TorchFunction:
    """A PyTorch module as a function of arrays, in evaluation mode, with exact Jacobians."""

    module: Any

    def __call__(self, points: Any) -> Any:
        """Values (N, n)."""
        return self._run(points, lambda inputs: self._rows(inputs).detach())

    def jacobian(self, points: Any) -> Any:
        """Jacobians (N, n, m): rows are independent, so one backward pass an output serves all."""
        import torch

        def slopes(inputs: Any) -> Any:
            inputs.requires_grad_(True)
            outputs = self._rows(inputs)
            parts = [
                torch.autograd.grad(outputs[:, o].sum(), inputs, retain_graph=True)[0]
                for o in range(outputs.shape[1])
            ]
            return torch.stack(parts, dim=1)

        return self._run(points, slopes)

    def _rows(self, inputs: Any) -> Any:
        return self.module(inputs).reshape(len(inputs), -1)

    def _run(self, points: Any, work: Callable[[Any], Any]) -> Any:
        import torch

        like = next(self.module.parameters(), torch.zeros(1, dtype=torch.float64))
        table = np.array(points, dtype=float, ndmin=2)  # a copy: torch dislikes read-only memory
        training = [module for module in self.module.modules() if module.training]
        self.module.eval()
        try:
            parts = [
                work(torch.as_tensor(part, dtype=like.dtype, device=like.device)).cpu().numpy()
                for part in np.array_split(table, max(1, -(-len(table) // ROWS)))
            ]
        finally:
            for module in training:
                module.training = True
        return np.concatenate(parts)
