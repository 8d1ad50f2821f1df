"""Formulas of products, in the names and units of the inputs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._typing import Array
from ._shape_texts import format_sum, number
from ._shapes import nearest_shape

MIN_FORMULA_R2 = 0.95  # of a product, and of the shape of its factor
NEGLIGIBLE_PART = 0.05  # of the spread of a product: smaller terms are left out
FACTOR_DEGREE = 5  # of the polynomial that multiplies the other factor


@dataclass(frozen=True, eq=False)
class Product:
    """A product that stands for a block of directions.

    ``multiplied`` and ``shaped`` (s,) are its factors in the inputs of the block, standardised; of
    the shaped one, a polynomial of ``degree`` is taken.
    """

    multiplied: Array
    shaped: Array
    degree: int
    r2: float


def write_product(
    product: Product | None, values: Array, points: Array, names: Sequence[str]
) -> str:
    """A product as a formula; empty where its factors are no single inputs.

    ``points`` (N, s) are the inputs of the block in their own units.

    >>> points = np.random.default_rng(0).uniform(1, 3, (200, 2))
    >>> product = Product(np.eye(2)[0], np.eye(2)[1], 1, 1.0)
    >>> write_product(product, 1.9 * points[:, 0] * points[:, 1], points, ["load", "slip"])
    '1.9 load slip'
    """
    if product is None or product.r2 < MIN_FORMULA_R2:
        return ""
    factors = [np.flatnonzero(factor) for factor in (product.multiplied, product.shaped)]
    if any(len(used) != 1 for used in factors):
        return ""
    b, a = (int(used[0]) for used in factors)
    if product.degree == 1:
        return _write_bilinear(values, points, sorted((a, b)), names)
    return _write_factor(values, points[:, b], points[:, a], names[b], names[a])


def _write_bilinear(values: Array, points: Array, pair: list[int], names: Sequence[str]) -> str:
    """The product of two inputs, with their linear terms and the constant."""
    first, second = points[:, pair].T
    columns = [first * second, first, second, np.ones(len(values))]
    found = _solve(np.column_stack(columns), values)
    texts = [f"{names[pair[0]]} {names[pair[1]]}", names[pair[0]], names[pair[1]], ""]
    least = NEGLIGIBLE_PART * float(np.std(values))
    sizes = [float(np.std(c)) for c in columns[:3]] + [1.0]
    terms = zip(found.tolist(), texts, sizes, strict=True)
    return format_sum([(c, text, size) for c, text, size in terms if abs(c) * size > least])


def _write_factor(values: Array, b: Array, a: Array, multiplied: str, shaped: str) -> str:
    """``b h(a)``, with the formula of h where it has a simple shape."""
    centre, half = (a.max() + a.min()) / 2, np.ptp(a) / 2 or 1.0
    powers = np.polynomial.legendre.legvander((a - centre) / half, FACTOR_DEGREE)
    alone, factor = _solve(np.column_stack([powers, b[:, None] * powers]), values).reshape(2, -1)
    rest, h = powers @ alone, powers @ factor
    shift, level = np.linalg.lstsq(np.column_stack([h, np.ones(len(h))]), rest, rcond=None)[0]
    least = NEGLIGIBLE_PART * float(np.std(values))
    text = f"{multiplied} h({shaped})"
    if np.std(rest) > least:
        text += f" + r({shaped})"
        if np.std(rest - shift * h - level) <= least:
            sign = "-" if shift < 0 else "+"
            text = f"({multiplied} {sign} {number(abs(float(shift)))}) h({shaped})"
    shape = nearest_shape(a, h)
    if shape.r2 < MIN_FORMULA_R2:
        return text
    return f"{text}, h = {re.sub(r'(?<![a-z])z(?![a-z])', lambda _: shaped, shape.formula)}"


def _solve(table: Array, values: Array) -> Array:
    size = np.linalg.norm(table, axis=0)
    size = np.where(size > 0, size, 1.0)
    return np.asarray(np.linalg.lstsq(table / size, values, rcond=1e-12)[0] / size)
