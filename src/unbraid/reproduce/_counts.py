"""How many numbers a function has: coupled, decoupled, and as the paper counts."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

from . import _published as published

INPUTS, DEGREE = 5, 5  # of the polynomial reduction
NETWORK_DEGREE = 7


def monomials(n_inputs: int, lowest: int, highest: int) -> int:
    """Monomials of degree lowest to highest in so many inputs.

    >>> monomials(5, 1, 5), monomials(5, 2, 6)
    (251, 456)
    """
    return comb(n_inputs + highest, highest) - comb(n_inputs + lowest - 1, lowest - 1)


def decoupled(n_inputs: int, n_outputs: int, degree: int, n_branches: int) -> int:
    """Numbers of a decoupled polynomial without constants: r columns of W, V and coefficients.

    >>> decoupled(5, 1, 5, 3)
    33
    """
    return n_branches * (n_inputs + n_outputs + degree)


@dataclass(frozen=True)
class Count:
    """A count or ratio of the paper, by its own rule, and as it should be."""

    what: str
    published: float
    by_its_rule: float
    right: float

    @property
    def holds(self) -> bool:
        """Whether the paper's rule gives its number, to the digits it prints."""
        digits = 0 if self.published == int(self.published) else 1
        return round(self.by_its_rule, digits) == self.published


def reduction_counts() -> tuple[Count, ...]:
    """Bottom row of Table 2, and the red dot of figure f:para_count."""
    coupled = monomials(INPUTS, 1, DEGREE)
    rule_coupled = monomials(INPUTS, 2, DEGREE + 1)
    ratios = [
        Count(
            f"theta_C / theta_D, r = {r}",
            ratio,
            rule_coupled / (decoupled(INPUTS, 1, DEGREE, r) + r),
            coupled / decoupled(INPUTS, 1, DEGREE, r),
        )
        for r, ratio in published.TABLE2_RATIOS.items()
    ]
    both = (
        Count("theta_C", published.REDUCTION_COUPLED, rule_coupled, coupled),
        Count(
            "theta_D, r = 3",
            published.REDUCTION_DECOUPLED,
            decoupled(INPUTS, 1, DEGREE, 3) + 3,
            decoupled(INPUTS, 1, DEGREE, 3),
        ),
    )
    return (*both, *ratios)


def network_counts() -> tuple[Count, ...]:
    """Bottom row of Table 3."""
    numbers = published.NETWORK_NUMBERS
    return tuple(
        Count(
            f"theta_NN / theta_D, r = {r}",
            ratio,
            numbers / (decoupled(2, 2, NETWORK_DEGREE, r) + 3),
            numbers / (decoupled(2, 2, NETWORK_DEGREE, r) + 2),
        )
        for r, ratio in published.TABLE3_RATIOS.items()
    )


def narx_counts() -> tuple[Count, ...]:
    """The numbers of section 9."""
    coupled = monomials(INPUTS, 1, 3)
    small = decoupled(INPUTS, 1, 3, 3)
    return (
        Count("reference", published.REFERENCE_NUMBERS, coupled, coupled),
        Count("decoupled, r = 3", published.DECOUPLED_NUMBERS, small + 3, small),
    )
