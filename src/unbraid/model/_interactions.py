"""Interactions: several directions over the same two or three inputs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations

import numpy as np

from .._typing import Array
from ._direction_text import format_direction, join_terms
from ._product_formulas import FACTOR_DEGREE, Product

MIN_PRODUCT_R2 = 0.98  # of a product that stands for the sum of the curves
MAX_CANCELLATION = 2.0  # of curves that are shown one by one
MIN_PRODUCT_PART = 0.1  # of the variance of the block that must be the product itself
MIN_FACTOR_CORRELATION = 0.97  # of a curve with the factor of a product that it completes
MAX_WEAKER = 0.7  # ratio of the sizes of a curve at the ends of what multiplies it
MIN_POINTS_PER_FACTOR = 4  # points per coefficient of a product


@dataclass(frozen=True, eq=False)
class Interaction:
    """Directions over the same two or three inputs, which are read together.

    Attributes
    ----------
    inputs : tuple of str
    directions : tuple of int
        Positions in ``Description.directions``.
    shares : dict
        Share of the block, with the linear terms that belong to it, by output.
    labels : dict
        "product of a and b", "a times a function of b", "a function of b, weaker with more a", or
        "interaction of a and b", by output.
    formulas : dict
        Of products of single inputs, in the names and units of these; else empty.
    r2 : dict
        R² of the product; 0 where there is none.
    cancellation : dict
        Sum of the variances of the curves over the variance of the block, by output.
    """

    inputs: tuple[str, ...]
    directions: tuple[int, ...]
    shares: Mapping[str, float]
    labels: Mapping[str, str]
    cancellation: Mapping[str, float]
    formulas: Mapping[str, str] = field(default_factory=dict)
    r2: Mapping[str, float] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The label of the output with the largest share."""
        return self.labels[max(self.shares, key=lambda name: self.shares[name])]

    def has_readable_curves(self, output: str) -> bool:
        """Whether its curves say something one by one: no product, and no cancellation."""
        label = self.labels[output]
        return label.startswith("interaction") and self.cancellation[output] <= MAX_CANCELLATION

    def __str__(self) -> str:
        return self.label


def find_product(values: Array, directions: Array, x: Array) -> Product | None:
    """The product that reproduces the values of a block; None if there is none.

    ``values`` (N,) are those of the block, ``directions`` (k, s) its directions in its own inputs,
    ``x`` (N, s) these inputs, standardised. Factors are the vectors with the most zeros in the
    plane of two directions.
    """
    if len(values) < MIN_POINTS_PER_FACTOR * (2 * FACTOR_DEGREE + 3):
        return None
    factors = list(np.eye(2)) if x.shape[1] == 2 else find_factors(directions)
    for degree in (1, FACTOR_DEGREE):
        fits = [
            (_product_r2(values, x @ factors[b], x @ factors[a], degree), -b, -a)
            for b, a in permutations(range(len(factors)), 2)
        ]
        r2, b, a = max(fits, default=(0.0, 0, 0))
        if r2 >= MIN_PRODUCT_R2:
            return Product(factors[-b], factors[-a], degree, r2)
    return None


def label_block(product: Product | None, values: Array, x: Array, names: Sequence[str]) -> str:
    """What a block of directions does, in words.

    >>> x = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    >>> values = x[:, 0] * x[:, 1]
    >>> product = find_product(values, np.array([[0.6, 0.8], [0.6, -0.8]]), x)
    >>> label_block(product, values, x, ["a", "b"])
    'product of a and b'
    """
    if product is None:
        return f"interaction of {join_terms(names)}"
    b, a = product.multiplied, product.shaped
    first, second = (_factor_text(factor, names) for factor in (b, a))
    if product.degree == 1:
        return f"product of {join_terms(_in_order([first, second], names))}"
    return _describe_factors(values, x @ b, x @ a, first, second)


def is_one_product(values: Array, x: Array) -> bool:
    """Whether values are (a + x_i) h(x_j) + b, for one of two inputs x (N, 2).

    >>> x = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    >>> is_one_product((3 + x[:, 0]) * x[:, 1] ** 2, x)
    True
    >>> is_one_product(3 * x[:, 1] + x[:, 0] * x[:, 1] ** 2, x)
    False
    """
    if len(values) < MIN_POINTS_PER_FACTOR * (2 * FACTOR_DEGREE + 3):
        return False
    for multiplied, shaped in permutations(x.T):
        powers = _legendre_table(shaped, FACTOR_DEGREE)
        table = np.column_stack([powers, multiplied[:, None] * powers])
        found = np.linalg.lstsq(table, values, rcond=1e-10)[0].reshape(2, -1)
        left = np.var(values - table @ found.ravel())
        alone, factor = (powers[:, 1:] @ row[1:] for row in found)
        if left > (1 - MIN_PRODUCT_R2) * np.var(values) or not np.var(alone) * np.var(factor):
            continue
        if abs(np.corrcoef(alone, factor)[0, 1]) >= MIN_FACTOR_CORRELATION:
            return True
    return False


def find_factors(pair: Array) -> list[Array]:
    """Unit vectors of the plane of two directions that have a zero, (k,) each."""
    found: list[Array] = []
    if len(pair) != 2:
        return found
    for l in range(pair.shape[1]):
        vector = pair[1, l] * pair[0] - pair[0, l] * pair[1]
        length = float(np.linalg.norm(vector))
        if length < 1e-6:
            continue
        vector = vector / length
        vector[np.abs(vector) < 0.05] = 0.0
        vector = vector * np.sign(vector[np.argmax(np.abs(vector))])
        if all(np.linalg.norm(vector - other) > 0.05 for other in found):
            found.append(vector)
    return found


def _product_r2(values: Array, multiplied: Array, shaped: Array, degree: int) -> float:
    """R² of a product with its factors alone; 0 where the product adds little.

    It is rounded, so that the order of equally good factors does not depend on rounding.
    """
    powers = _legendre_table(shaped, degree)
    alone = np.column_stack([powers, multiplied])
    both = np.column_stack([alone, multiplied[:, None] * powers[:, 1:]])
    total = float(np.sum((values - values.mean()) ** 2))
    left = [_residual_square(table, values) for table in (alone, both)]
    if left[0] - left[1] < MIN_PRODUCT_PART * total or total == 0:
        return 0.0
    return round(1 - left[1] / total, 4)


def _describe_factors(
    values: Array, multiplied: Array, shaped: Array, first: str, second: str
) -> str:
    """Words for ``(a + b x) h(y)``: x makes the function of y larger or smaller."""
    powers = _legendre_table(shaped, FACTOR_DEGREE)
    table = np.column_stack([powers, multiplied[:, None] * powers])
    alone, factor = np.linalg.lstsq(table, values, rcond=1e-10)[0].reshape(2, -1)
    low, high = (
        float(np.std(powers @ (alone + end * factor))) for end in np.quantile(multiplied, [0, 1])
    )
    if high < MAX_WEAKER * low:
        return f"a function of {second}, weaker with more {first}"
    return f"{first} times a function of {second}"


def _legendre_table(z: Array, degree: int) -> Array:
    """Legendre polynomials of z over its largest size, (N, degree + 1)."""
    return np.polynomial.legendre.legvander(z / max(np.abs(z).max(), 1e-300), degree)


def _residual_square(table: Array, values: Array) -> float:
    return float(np.sum((values - table @ np.linalg.lstsq(table, values, rcond=1e-10)[0]) ** 2))


def _factor_text(factor: Array, names: Sequence[str]) -> str:
    text = format_direction({name: float(v) for name, v in zip(names, factor, strict=True) if v})
    return f"({text})" if " " in text and np.count_nonzero(factor) > 1 else text


def _in_order(texts: Sequence[str], names: Sequence[str]) -> list[str]:
    """Two factors in the order of the inputs."""
    place = {name: k for k, name in enumerate(names)}
    return sorted(texts, key=lambda text: place.get(text, len(place)))
