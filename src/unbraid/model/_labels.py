"""Labels of curves: a plain word, with R² and a formula where a shape fits."""

from collections.abc import Iterator, Mapping

import numpy as np

from .._typing import Array
from .._util.validation import with_article
from ._shapes import EXACT_R2, Shape, nearest_shape

MIN_LABEL_R2 = 0.95  # below it, a curve has no formula
NO_SHAPE = "curve"
PROPORTIONAL = 1e-12  # 1 - cos² of the angle between curves of one shape


class ShapeLabel(str):
    """The word for a curve: "saturating", "nearly linear", ..., or "curve".

    Attributes
    ----------
    r2 : float
        Of the nearest simple shape.
    formula : str or None
        In z, with the linear part of the curve; None for "curve".
    """

    r2: float
    formula: str | None

    def __new__(cls, shape: Shape) -> "ShapeLabel":
        fits = shape.r2 >= MIN_LABEL_R2
        name = shape.name.removeprefix("a ") if fits else NO_SHAPE
        nearly = name == "linear" and shape.r2 < EXACT_R2
        label = super().__new__(cls, f"nearly {name}" if nearly else name)
        label.r2 = shape.r2
        label.formula = shape.formula if fits else None
        return label


def phrase_label(label: str) -> str:
    """What a labelled curve is, up to the variable that it is a function of.

    >>> phrase_label("saturating"), phrase_label("bump"), phrase_label("curve")
    ('a saturating function of', 'a bump along', 'a nonlinear function of')
    """
    if label in ("bump", "kink"):
        return f"a {label} along"
    if label == "power":
        return "a power of"
    if label == NO_SHAPE:
        return "a nonlinear function of"
    return with_article(f"{label} function of")


class CurveLabels(Mapping[str, ShapeLabel]):
    """Labels by output, computed when they are first asked for.

    Curves of one shape, which differ by a factor, are fitted once.
    """

    def __init__(self, z: Array, curves: Mapping[str, Array]) -> None:
        self._z = z
        self._curves = curves
        self._labels: dict[str, ShapeLabel] = {}
        self._fitted: list[tuple[Array, Shape]] = []  # curves of unit length

    def __getitem__(self, output: str) -> ShapeLabel:
        if output not in self._labels:
            self._labels[output] = ShapeLabel(self._find_shape(self._curves[output]))
        return self._labels[output]

    def __iter__(self) -> Iterator[str]:
        return iter(self._curves)

    def __len__(self) -> int:
        return len(self._curves)

    def __repr__(self) -> str:
        return repr(dict(self))

    def _find_shape(self, values: Array) -> Shape:
        size = float(np.linalg.norm(values)) or 1.0
        unit = values / size
        for known, shape in self._fitted:
            cosine = float(known @ unit)
            if 1 - cosine**2 <= PROPORTIONAL:
                return shape.times(size * float(np.sign(cosine)))
        shape = nearest_shape(self._z, unit)
        self._fitted.append((unit, shape))
        return shape.times(size)
