"""Scans: a grid of decouplings, parallel, resumable, with a table at the end."""

from ._row import Row
from ._scan import load_scan, scan
from ._table import Scan

__all__ = ["Row", "Scan", "load_scan", "scan"]
