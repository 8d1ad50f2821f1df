"""What the data determine of W, V and the branches."""

from dataclasses import dataclass

from .._typing import Array
from .._util.validation import count_noun

MAX_DIRECTION_ERROR = 0.1  # standard error of an entry of V above which it is not identified


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """What the data determine of W, V and the branches.

    Attributes
    ----------
    n_free : int
        Independent changes of W and V that leave the fit as it is.
    n_copies : int
        Branches that have the direction and the weights of another one.
    n_movable : int
        Linear branches of which others could carry a part.
    direction_error : float
        Largest standard error of V with every input in units of its spread.
    V_standard_errors : (m, r)
        In the user's units.
    bands : tuple of (M, 2)
        z and twice the standard error of each branch.
    misfit : float
        Share of the residual, 0 to 1, that is no noise but a function that the branches miss. The
        standard errors of V allow for it.
    """

    n_free: int
    n_copies: int
    n_movable: int
    direction_error: float
    V_standard_errors: Array
    bands: tuple[Array, ...]
    misfit: float = 0.0

    @property
    def identified(self) -> bool:
        """Whether the data determine W and V."""
        determined = self.n_free == self.n_copies == self.n_movable == 0
        return determined and self.direction_error < MAX_DIRECTION_ERROR

    @property
    def sentence(self) -> str:
        """Identified or not, and how well, as text."""
        if self.n_copies:
            return (
                f"{self.n_copies} branches more than are needed: they have the direction of others,"
                f" and only their sum is determined"
            )
        n_moves = self.n_movable * (len(self.bands) - 1)
        vague = self.direction_error >= MAX_DIRECTION_ERROR
        if 0 < n_moves >= self.n_free and (self.n_free or not vague):
            return (
                f"W and V are identified except for "
                f"{count_noun(self.n_movable, 'linear branch', 'es')}, of which others could carry "
                f"a part"
            )
        if self.n_free:
            return (
                f"W and V are not identified: they can change in {self.n_free} ways with the same "
                f"fit, only the function is determined"
            )
        if vague:
            return (
                f"W and V are poorly identified: standard error of V up to "
                f"{self.direction_error:.1g}, mixtures of branches fit as well"
            )
        return f"W and V are identified; standard error of V at most {self.direction_error:.1g}"
