"""Records of a benchmark: what may be fitted, and what is scored."""

from dataclasses import dataclass
from enum import Enum

from .._typing import Array
from ..cases import Recording


class Start(Enum):
    """Where the simulation of a test begins.

    OUTPUTS: in the state that the first measured outputs give. REST: in the steady state of the
    first input. PERIODIC: the record is one period of a steady state, so its input is repeated.
    """

    OUTPUTS = "outputs"
    REST = "rest"
    PERIODIC = "periodic"


@dataclass(frozen=True, eq=False)
class TestSignal:
    """One test: input and output, (T,) each, and how its simulation starts.

    With ``Start.OUTPUTS`` the first ``initial`` outputs may be used; they are not scored.
    """

    __test__ = False  # no test class for pytest

    u: Array
    y: Array
    initial: int = 0
    start: Start = Start.OUTPUTS


@dataclass(frozen=True, eq=False)
class BenchmarkRecord:
    """The official split of a benchmark.

    Scores are root mean square errors of free-run simulations, times ``scale``, in ``unit``.
    """

    name: str
    training: tuple[Recording, ...]
    tests: dict[str, TestSignal]
    sampling_time: float | None
    unit: str
    scale: float

    @property
    def n_training_samples(self) -> int:
        return sum(recording.u.size for recording in self.training)
