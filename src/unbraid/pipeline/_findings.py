"""Problems of the data that a fit can reveal."""

from dataclasses import dataclass
from enum import Enum


class FindingKind(Enum):
    """What is wrong; the value is a template of its message."""

    MISMATCH = (
        "the Jacobians are met to {:.2g} %, the values to {:.3g} %: these Jacobians do not belong "
        "to these values (transposed? scaled? noise?), or f varies too quickly for these points"
    )
    WRONG_SCALE = (
        "these Jacobians do not belong to these values: the derivative of output {} over input {} "
        "is {:.3g} times what the values say (units? a missing scale factor?)"
    )
    KINKS = (
        "f does not look smooth: between close points its Jacobian jumps (kinks, as of ReLU). The "
        "result is the best smooth one; a smooth model of f decouples better"
    )
    OUTLIERS = (
        "the values or Jacobians of {} look wrong, rows {}: repair or remove these points, or pass "
        "robust=True"
    )
    ROUGH_BRANCHES = (
        "the decomposition fits the Jacobians to {:.2g} %, its branches in this basis to {:.2g} %: "
        "they are rougher than the basis can follow; give it more coefficients, the method more "
        "smoothness, or check that the Jacobians are right"
    )


@dataclass(frozen=True)
class Finding:
    """One problem, with what its message mentions."""

    kind: FindingKind
    numbers: tuple[float | str, ...] = ()

    @property
    def message(self) -> str:
        return self.kind.value.format(*self.numbers)
