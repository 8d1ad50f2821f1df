"""One configuration of one benchmark, run with several seeds."""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ._published import best_published


@dataclass(frozen=True)
class BenchmarkRow:
    """Result of a configuration.

    ``errors`` has one error per seed for every test, in the unit of the benchmark. ``seconds`` is
    the median CPU time of a fit, ``degrees_of_freedom`` the most over the seeds. If the fit failed
    there are no errors, and ``failure`` says why; ``configuration`` is empty where the record is
    missing. ``warnings`` has what the fits warned of.
    """

    benchmark: str
    configuration: str
    errors: dict[str, tuple[float, ...]] = field(default_factory=dict, hash=False)
    degrees_of_freedom: int | None = None
    seconds: float | None = None
    failure: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def n_seeds(self) -> int:
        return max(map(len, self.errors.values()), default=0)

    def median(self, test: str) -> float:
        """Median error over the seeds."""
        return float(np.median(self.errors[test]))

    def worst(self, test: str) -> float:
        """Largest error over the seeds."""
        return float(np.max(self.errors[test]))

    def ratio(self, test: str) -> float | None:
        """The median error over that of the best published black box."""
        best = best_published(self.benchmark, test)
        return None if best is None else self.median(test) / best.errors[test]

    def to_dict(self) -> dict[str, Any]:
        """All fields, with median, worst error and ratio of every test."""
        tests = {
            test: {
                "median": self.median(test),
                "worst": self.worst(test),
                "ratio": self.ratio(test),
            }
            for test in self.errors
        }
        return {**asdict(self), "n_seeds": self.n_seeds, "tests": tests}
