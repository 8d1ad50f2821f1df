"""Public benchmarks of nonlinear system identification, beside published results."""

from ._configurations import CONFIGURATIONS, Configuration
from ._load import load
from ._page import make_page
from ._published import PUBLISHED, PublishedResult
from ._records import BenchmarkRecord, Start, TestSignal
from ._rows import BenchmarkRow
from ._run import run, run_rows
from ._specifications import BENCHMARKS, Benchmark

__all__ = [
    "BENCHMARKS",
    "CONFIGURATIONS",
    "PUBLISHED",
    "Benchmark",
    "BenchmarkRecord",
    "BenchmarkRow",
    "Configuration",
    "PublishedResult",
    "Start",
    "TestSignal",
    "load",
    "make_page",
    "run",
    "run_rows",
]
