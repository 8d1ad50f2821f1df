"""How good an approximation is, and what it costs in numbers."""

from math import comb
from typing import Any, Literal

import numpy as np

from ._typing import Array
from ._util.validation import check_integer, finite_array
from .errors import InvalidOptionError, InvalidSamplesError

SMALL_SQUARE, LARGE_SQUARE = 1e-100, 1e100  # numbers whose sums of squares are numbers too
FLAT = 1e-14  # spread relative to the values below which an output is constant


def relative_error(values: Any, approximation: Any) -> Array:
    """Relative rms error in percent of each output's spread, eq. (rel_er).

    A constant output has no spread: its error is 0 where it is met and inf where it is not.

    >>> relative_error([[0.0], [2.0]], [[0.0], [1.0]])
    array([70.71067812])
    """
    values, approximation = _tables(values, approximation)
    scale = _power_of_two(np.maximum(np.abs(values), np.abs(approximation)).max(axis=0))
    values, approximation = values / scale, approximation / scale  # their squares are numbers
    miss = np.sqrt(np.mean((values - approximation) ** 2, axis=0))
    spread = values.std(axis=0)
    flat = spread <= FLAT * np.abs(values).max(axis=0)
    met = miss <= 1e-12 * np.abs(values).max(axis=0)
    ratio = 100.0 * miss / np.where(flat, 1.0, spread)
    return np.asarray(np.where(flat, np.where(met, 0.0, np.inf), ratio))


def jacobian_error(jacobians: Any, approximation: Any) -> float:
    """Relative Frobenius error of a Jacobian tensor in percent.

    >>> jacobian_error([[[3.0, 4.0]]], [[[3.0, 3.0]]])
    20.0
    """
    exact = finite_array("jacobians", jacobians)
    other = finite_array("approximation", approximation)
    if exact.shape != other.shape:
        raise InvalidSamplesError(f"shapes differ: {exact.shape} and {other.shape}")
    largest = max(_largest(exact), _largest(other))
    scale = 1.0 if SMALL_SQUARE < largest < LARGE_SQUARE else float(_power_of_two(largest))
    if scale != 1.0:
        exact, other = exact / scale, other / scale
    size = float(np.linalg.norm(exact))
    miss = float(np.linalg.norm(exact - other))
    return 100.0 * miss / size if size > 0 else 100.0 * miss * scale


def _largest(array: Array) -> float:
    return float(max(array.max(initial=0.0), -array.min(initial=0.0)))


def _power_of_two(size: Any) -> Array:
    """Of about this size, to divide by without rounding; 1 for 0."""
    return np.asarray(np.ldexp(1.0, np.clip(np.frexp(size)[1], -1000, 1000)))


def _tables(values: Any, approximation: Any) -> tuple[Array, Array]:
    left, right = finite_array("values", values), finite_array("approximation", approximation)
    left = left[:, None] if left.ndim == 1 else left
    right = right[:, None] if right.ndim == 1 else right
    if left.shape != right.shape or left.ndim != 2 or left.size == 0:
        raise InvalidSamplesError(
            f"values {left.shape} and approximation {right.shape} must both be (points, outputs), "
            f"at least one of each"
        )
    return left, right


def monomial_count(n_inputs: int, degree: int, lowest: int = 1) -> int:
    """Monomials of degree ``lowest`` to ``degree`` in ``n_inputs`` variables.

    The paper's 456 for m = 5, d = 5 counts degrees 2 to 6; without the constant it is 251.

    >>> monomial_count(5, 5), monomial_count(5, 6, lowest=2)
    (251, 456)
    """
    check_integer("n_inputs", n_inputs)
    check_integer("degree", degree, least=0)
    check_integer("lowest", lowest, least=0)
    if lowest > degree:
        return 0
    below = comb(n_inputs + lowest - 1, n_inputs) if lowest > 0 else 0
    return comb(n_inputs + degree, n_inputs) - below


def paper_parameter_count(
    n_inputs: int,
    n_outputs: int,
    n_branches: int,
    degree: int,
    table: Literal["table2", "table3", "narx"] = "table2",
) -> int:
    """Number of parameters of a decoupled polynomial, as counted in the paper.

    The count differs by table. Table 2 and NARX: r(m + n + d + 1). Table 3: r(m + n + d) + n + 1.

    >>> paper_parameter_count(5, 1, 3, 5), paper_parameter_count(2, 2, 10, 7, "table3")
    (36, 113)
    """
    for name, number in (("n_inputs", n_inputs), ("n_outputs", n_outputs), ("degree", degree)):
        check_integer(name, number)
    check_integer("n_branches", n_branches)
    if table in ("table2", "narx"):
        return n_branches * (n_inputs + n_outputs + degree + 1)
    if table == "table3":
        return n_branches * (n_inputs + n_outputs + degree) + n_outputs + 1
    raise InvalidOptionError(f"table is {table!r}: choose 'table2', 'table3' or 'narx'")
