"""Reports: one page of HTML that shows a decoupled function, a NARX model or a scan."""

from ._report import report

__all__ = ["report"]
