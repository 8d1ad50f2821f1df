"""Which package an object comes from, found without importing the package."""

from typing import Any


def package_of(kind: type[Any]) -> str:
    """Return the name of the top-level package that defines a class."""
    return str(kind.__module__).split(".")[0]


def comes_from(value: Any, *packages: str) -> bool:
    """Return whether the class of a value, or an ancestor, is from these packages.

    >>> import numpy as np
    >>> comes_from(np.ones(2), "numpy"), comes_from(1.0, "numpy")
    (True, False)
    """
    return any(package_of(kind) in packages for kind in type(value).__mro__)
