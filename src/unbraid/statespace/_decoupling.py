"""Decoupling of the nonlinear part of a state-space model."""

from typing import Any


def decouple_model(model: Any, n_branches: Any, options: dict[str, Any]) -> Any:
    raise NotImplementedError
