"""The course of a refinement on the simulation error."""

from dataclasses import dataclass
from enum import Enum

from .._util.validation import count_noun


class RefinementStatus(Enum):
    """Why a refinement stopped; the value is the message."""

    CONVERGED = "converged"
    EARLY_STOPPING = "the error on the held-out samples stopped falling"
    CALLBACK = "stopped by the callback"
    MAX_ITERATIONS = "stopped at max_iterations"
    TIME_LIMIT = "stopped at the time limit"
    SENSITIVE = "the simulation is too sensitive to the parameters (chaotic or unstable)"


@dataclass(frozen=True)
class Refinement:
    """The course of a refinement.

    Attributes
    ----------
    errors : tuple of float
        Simulation error in % after every step of the descent that was kept, on the fitted samples
        with their weights.
    held_out_errors : tuple of float
        The same on the held-out samples; the step with the least of them was kept.
    stages : tuple of float
        Feedback of every stage of the continuation; (1.0,) if none was needed.
    status : RefinementStatus
    seconds : float
    """

    errors: tuple[float, ...]
    held_out_errors: tuple[float, ...]
    stages: tuple[float, ...]
    status: RefinementStatus
    seconds: float

    @property
    def stop_reason(self) -> str:
        """Why the refinement stopped, as text."""
        return self.status.value

    @property
    def converged(self) -> bool:
        """Whether a stopping criterion other than the number of steps was met."""
        return self.status in (RefinementStatus.CONVERGED, RefinementStatus.EARLY_STOPPING)

    @property
    def n_steps(self) -> int:
        return max(len(self.errors) - 1, 0)

    @property
    def words(self) -> str:
        """The refinement in one sentence."""
        steps = count_noun(self.n_steps, "step")
        return (
            f"Refined on the simulation error of the training record, {steps}: {self.stop_reason}."
        )
