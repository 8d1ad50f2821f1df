"""Why a solver stopped."""

from enum import Enum


class Status(Enum):
    """Why a solver stopped; the value of a member is its message.

    >>> Status.CONVERGED.converged, Status.STOPPED.value
    (True, 'stopped by the callback')
    """

    EXACT = "the decomposition is exact to rounding"
    CONVERGED = "the objective has settled"
    MAX_ITERATIONS = "max_iterations reached while still improving"
    STOPPED = "stopped by the callback"
    NOT_FINITE = "an iterate was not finite; the best one before it is returned"

    @property
    def advice(self) -> str:
        """What to do if a better result is needed; empty where nothing is."""
        return {
            Status.MAX_ITERATIONS: "raise max_iterations or n_starts",
            Status.NOT_FINITE: "scale the data, or take fewer branches",
        }.get(self, "")

    @property
    def converged(self) -> bool:
        return self in (Status.EXACT, Status.CONVERGED)
