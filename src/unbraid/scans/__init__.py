"""Scans: a grid of decouplings, run in parallel, resumable, compared in a table."""

from ._row import Row
from ._scan import load_scan, scan
from ._table import Scan

__all__ = ["Row", "Scan", "load_scan", "scan"]
