"""HTML pages that show a decoupled function, a NARX model or a scan."""

from ._report import report

__all__ = ["report"]
