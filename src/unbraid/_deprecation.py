"""Former names of public objects, which still work with a warning."""

import warnings
from collections.abc import Mapping
from typing import Any


def resolve_former_name(module: str, name: str, former: Mapping[str, Any]) -> Any:
    """Return the object with a former name and warn; for ``__getattr__`` of a module."""
    if name not in former:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    found = former[name]
    message = f"{name} is now called {found.__name__}; the old name ends with version 0.2"
    warnings.warn(message, FutureWarning, stacklevel=3)
    return found
