"""The paper's filtered tensor decomposition, implicit and explicit."""

from ._explicit import Explicit
from ._filters import Filter
from ._implicit import Implicit

__all__ = ["Explicit", "Filter", "Implicit"]
