"""The description of a decoupled function: directions, curves, shares, words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from .._typing import Array
from ._canonical_form import CanonicalForm, DirectionCurve
from ._data_fit import DataFit
from ._description_markup import render_html, render_latex
from ._description_text import TableRow, format_table, list_rows, write_sentence
from ._direction_text import format_direction
from ._interactions import Interaction
from ._labels import ShapeLabel
from ._linear_model import LinearModel, list_linear_rows, write_linear_sentence

UNREADABLE_PERCENT = 30.0  # error from which a description must not be read


@dataclass(frozen=True, eq=False)
class Direction:
    """A direction in the standardised inputs, with a curve per output.

    Attributes
    ----------
    weights : dict
        Entries of the direction by input, the largest first; unit length, zeros left out.
    curves : dict
        Callable ``h(z)`` with ``derivative``, by output; only outputs that it matters for. Zero
        mean and zero slope over the points.
    shares : dict
        Share in the variance by output, from 0 to 1, with the linear part along the direction.
    slopes : dict
        That linear part, in units of the output per z; it is also in ``Description.linear``.
    labels : mapping
        The shape of curve and linear part together: a word with ``r2`` and ``formula``.
    z : (N,)
        z at the points.
    branches : tuple of int
        The branches along this direction.
    """

    weights: Mapping[str, float]
    curves: Mapping[str, DirectionCurve]
    shares: Mapping[str, float]
    slopes: Mapping[str, float]
    labels: Mapping[str, ShapeLabel]
    z: Array = field(repr=False)
    branches: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """z in the inputs that matter."""
        return format_direction(self.weights)

    @property
    def largest_share(self) -> float:
        return max(self.shares.values(), default=0.0)


@dataclass(frozen=True, eq=False)
class DescribedTerm:
    """A part of one output that is read as one: directions, or linear terms.

    ``directions`` are positions in ``Description.directions``, none for a linear term. ``line``
    (m,) are slopes of standardised inputs beside those along directions. ``labels`` has the shape
    along the first direction.
    """

    inputs: tuple[str, ...]
    directions: tuple[int, ...]
    share: float
    line: Array = field(repr=False)
    interaction: Interaction | None = None
    labels: Mapping[str, ShapeLabel] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Description:
    """A decoupled function in its canonical form: print it, or take it apart.

    ``f_o(p) = offset_o + (linear p)_o + sum of curves of z``, see ``Direction``.

    Attributes
    ----------
    inputs, outputs : tuple of str
    offset : (n,), linear : (n, m)
        Constant, and slopes in units of the output per unit of the input.
    directions : tuple of Direction
        The largest share first.
    terms : dict
        The terms of every output that is not constant, the largest share first.
    linear_shares : dict
        Share of the linear terms that belong to no direction, by output.
    remainder : dict
        Share of the variance that the function misses, by output; 0 where that is unknown. Shares
        of all directions, ``linear_shares`` and ``remainder`` add up to 1.
    interactions : tuple of Interaction
        Directions over the same two or three inputs.
    notes : tuple of str
        What to keep in mind: correlated inputs, constant inputs.
    form : CanonicalForm
        The function in this form: ``form(points)``.
    data_fits : dict
        R², error and noise by output, for a function that was fitted to data.
    linear_model : LinearModel or None
        Of a dynamic model, which is read as a linear model plus curved remainders.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    offset: Array
    linear: Array
    directions: tuple[Direction, ...]
    terms: Mapping[str, tuple[DescribedTerm, ...]]
    linear_shares: Mapping[str, float]
    remainder: Mapping[str, float]
    interactions: tuple[Interaction, ...]
    notes: tuple[str, ...]
    form: CanonicalForm = field(repr=False)
    missed: tuple[str | None, float] | None = None  # which outputs are far off, and by how many %
    n_unproven: int | None = None  # points, where these were too few to hold some out
    data_fits: Mapping[str, DataFit] = field(default_factory=dict)
    linear_model: LinearModel | None = field(default=None, repr=False)

    @property
    def caveat(self) -> str:
        """A warning if the fit is poor or not proven, else an empty text."""
        reasons, opening = [], "Read this with care"
        if self.missed is not None:
            name, error = self.missed
            what, their = ("the outputs", "their") if name is None else (name, "its")
            reasons.append(f"the function misses {what} by {error:.0f} % of {their} spread")
            if error >= UNREADABLE_PERCENT:
                opening = "This description must not be read"
        if self.n_unproven is not None:
            reasons.append(f"{self.n_unproven} points are too few to know the error at others")
        return f"{opening}: {', and '.join(reasons)}." if reasons else ""

    @property
    def words(self) -> str:
        """One sentence per output, after a warning if there is one."""
        return "\n".join([self.caveat, *self.sentences] if self.caveat else self.sentences)

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """One sentence per output, with at most three terms each."""
        if self.linear_model is None:
            return tuple(write_sentence(self, output) for output in self.outputs)
        model = self.linear_model
        return tuple(write_linear_sentence(self, model, output) for output in self.outputs)

    @property
    def fit_sentences(self) -> tuple[str, ...]:
        """R² and the noise of the data, one sentence per output; none without data."""
        return tuple(f"{output}: {fit.words}." for output, fit in self.data_fits.items())

    @property
    def lines(self) -> tuple[str, ...]:
        """All sentences: a warning, the outputs, how they fit the data, and notes."""
        parts = (self.caveat, *self.sentences, *self.fit_sentences, *self.notes)
        return tuple(line for line in parts if line)

    @cached_property
    def rows(self) -> tuple[TableRow, ...]:
        """The terms that matter, as rows of the table."""
        if self.linear_model is None:
            return tuple(list_rows(self))
        return tuple(list_linear_rows(self, self.linear_model))

    @cached_property
    def table(self) -> str:
        """The terms that matter, as a table of plain text."""
        return format_table(self.rows, bool(self.directions))

    def to_latex(self) -> str:
        """The function as LaTeX; curves with a simple shape by their formula."""
        return render_latex(self)

    def _repr_html_(self) -> str:
        return render_html(self)

    def __str__(self) -> str:
        text = "\n".join(self.lines)
        return f"{text}\n\n{self.table}" if self.table else text
