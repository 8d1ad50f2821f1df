"""Scans: a grid of decouplings, parallel, resumable, with a table at the end."""

from .front import load_scan, scan
from .table import Row, Scan

__all__ = ["Row", "Scan", "load_scan", "scan"]
