"""HTML pages that show a function, a dynamic model or a scan."""

from ._report import report

__all__ = ["report"]
