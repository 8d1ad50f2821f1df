"""Numbers of parameters: coupled, decoupled, and by the rules of the paper."""

from dataclasses import dataclass
from math import comb

from . import _published as published

N_INPUTS, DEGREE = 5, 5  # of the polynomial reduction
NETWORK_DEGREE = 7


def count_monomials(n_inputs: int, lowest: int, highest: int) -> int:
    """Count the monomials of degree lowest to highest.

    >>> count_monomials(5, 1, 5), count_monomials(5, 2, 6)
    (251, 456)
    """
    return comb(n_inputs + highest, highest) - comb(n_inputs + lowest - 1, lowest - 1)


def count_decoupled(n_inputs: int, n_outputs: int, degree: int, n_branches: int) -> int:
    """Count the parameters of a decoupled polynomial without constants.

    >>> count_decoupled(5, 1, 5, 3)
    33
    """
    return n_branches * (n_inputs + n_outputs + degree)


@dataclass(frozen=True)
class ParameterCount:
    """A count or ratio in the paper, by the rule of the paper, and the correct one."""

    quantity: str
    published: float
    by_paper_rule: float
    correct: float

    @property
    def holds(self) -> bool:
        """Whether the rule of the paper gives its number, to the digits it prints."""
        digits = 0 if self.published == int(self.published) else 1
        return round(self.by_paper_rule, digits) == self.published


def count_reduction() -> tuple[ParameterCount, ...]:
    """Return the bottom row of Table 2, and the red dot of figure f:para_count."""
    coupled = count_monomials(N_INPUTS, 1, DEGREE)
    rule_coupled = count_monomials(N_INPUTS, 2, DEGREE + 1)
    sizes = {r: count_decoupled(N_INPUTS, 1, DEGREE, r) for r in published.TABLE2_RATIOS}
    printed = published.REDUCTION_DECOUPLED
    counts = [
        ParameterCount("theta_C", published.REDUCTION_COUPLED, rule_coupled, coupled),
        ParameterCount("theta_D, r = 3", printed, sizes[3] + 3, sizes[3]),
    ]
    for r, ratio in published.TABLE2_RATIOS.items():
        by_rule, name = rule_coupled / (sizes[r] + r), f"theta_C / theta_D, r = {r}"
        counts.append(ParameterCount(name, ratio, by_rule, coupled / sizes[r]))
    return tuple(counts)


def count_network() -> tuple[ParameterCount, ...]:
    """Return the bottom row of Table 3."""
    coupled = published.NETWORK_PARAMETERS
    counts = []
    for r, ratio in published.TABLE3_RATIOS.items():
        size = count_decoupled(2, 2, NETWORK_DEGREE, r)
        name = f"theta_NN / theta_D, r = {r}"
        counts.append(ParameterCount(name, ratio, coupled / (size + 3), coupled / (size + 2)))
    return tuple(counts)


def count_narx() -> tuple[ParameterCount, ...]:
    """Return the counts of section 9."""
    coupled = count_monomials(N_INPUTS, 1, 3)
    small = count_decoupled(N_INPUTS, 1, 3, 3)
    return (
        ParameterCount("reference", published.NARX_COUPLED, coupled, coupled),
        ParameterCount("decoupled, r = 3", published.NARX_DECOUPLED, small + 3, small),
    )
