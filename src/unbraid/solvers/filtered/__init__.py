"""The filtered tensor decomposition of the paper: implicit and explicit smoothness."""

from ._explicit import Explicit
from ._filters import Filter
from ._implicit import Implicit

__all__ = ["Explicit", "Filter", "Implicit"]
