"""Descriptions of branches in words: contribution, shape and inputs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._typing import Array
from .._util.validation import check_magnitude, count_noun, finite_array
from ..errors import InvalidOptionError, InvalidSamplesError
from ._branch import Branch
from ._branch_description import BranchDescription, format_percent
from ._description_latex import render_latex
from ._names import resolve_names
from ._shapes import Shape, nearest_shape

MIN_DESCRIBED_POINTS = 5
ROUNDING_VARIANCE = 1e-20  # of the mean square
MAX_SHARE_SUM = 1.2  # of absolute shares: above it branches cancel
CANCELLATION_NOTE = "; large parts of these cancel, so that shares leave the range from 0 to 100%"
MAX_SHARE_DIFFERENCE = 0.1  # of outputs that share one sentence
MIN_SHARE_NAMED = 0.005  # of an output
MAX_SENTENCES = 4


@dataclass(frozen=True)
class Description:
    """All branches, those that contribute most first; print it, or take it apart."""

    branches: tuple[BranchDescription, ...]
    outputs: tuple[str, ...]
    offset: tuple[float, ...]
    W: Array
    missed: tuple[str | None, float] | None = None  # which outputs are far off, and by how many %

    @property
    def caveat(self) -> str:
        """A caveat if the function fits an output poorly, else an empty text."""
        if self.missed is None:
            return ""
        name, error = self.missed
        what, their = ("the outputs", "their") if name is None else (name, "its")
        return f"a rough sketch: it misses {what} by {error:.0f} % of {their} spread"

    @property
    def words(self) -> str:
        """The sum in one sentence, or one per output where the outputs differ."""
        varying = self._varying_outputs()
        constant = [name for name in self.outputs if name not in varying]
        by_output = {name: self._shares_of(o) for o, name in enumerate(self.outputs)}
        mean = [branch.share for branch in self.branches]
        apart = max(
            abs(a - b) for name in varying for a, b in zip(by_output[name], mean, strict=True)
        )
        if apart < MAX_SHARE_DIFFERENCE:
            what = varying[0] if len(varying) == 1 else f"each of {', '.join(varying)}"
            text = self._sentence(what, mean)
        elif len(varying) > MAX_SENTENCES:
            what = f"each of {', '.join(varying)}, on average,"
            text = self._sentence(what, mean)
        else:
            text = ". ".join(self._sentence(name, by_output[name]) for name in varying)
        if constant:
            text += f"; {', '.join(constant)} {'is' if len(constant) == 1 else 'are'} constant"
        return text + (CANCELLATION_NOTE if self.cancelling else "")

    def _shares_of(self, output: int) -> list[float]:
        return [branch.share_by_output[output] for branch in self.branches]

    def _sentence(self, what: str, shares: Sequence[float]) -> str:
        """A sentence that lists the branches of an output, the largest share first.

        Branches that contribute only to other outputs are omitted.
        """
        order = np.argsort(-np.array(shares), kind="stable")
        most = [max(map(abs, branch.share_by_output)) for branch in self.branches]
        seen = [k for k in order if abs(shares[k]) > MIN_SHARE_NAMED or most[k] <= MIN_SHARE_NAMED]
        parts = [
            f"{_phrase(self.branches[k].shape)} {self.branches[k].direction} "
            f"({format_percent(shares[k])})"
            for k in seen
        ]
        return f"{what} is a constant plus {count_noun(len(parts), 'term')}: {'; '.join(parts)}"

    @property
    def cancelling(self) -> bool:
        """Do large parts of the branches cancel? Then shares are below 0 and above 1."""
        return sum(abs(branch.share) for branch in self.branches) > MAX_SHARE_SUM

    def _varying_outputs(self) -> list[str]:
        """The outputs that vary, or all if none does."""
        moved = [
            name
            for o, name in enumerate(self.outputs)
            if any(branch.share_by_output[o] != 0 for branch in self.branches)
        ]
        return moved or list(self.outputs)

    @property
    def latex(self) -> str:
        """The sum as LaTeX, each branch by its nearest shape."""
        return render_latex(self.branches, self.outputs, self.offset, self.W)

    def __str__(self) -> str:
        lines = [self.caveat, self.words, *map(str, self.branches)]
        return "\n".join(line for line in lines if line)


def describe(
    W: Array,
    V: Array,
    branches: Sequence[Branch],
    offset: Array,
    spread: Array | None = None,
    points: object = None,
    names: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
) -> Description:
    """Describe every branch, at the given points or at those that the branches store."""
    z = _branch_arguments(V, branches, points)
    inputs = resolve_names("names", names, len(V), "p")
    targets = resolve_names("outputs", outputs, len(W), "f")
    if points is not None and len(z) < MIN_DESCRIBED_POINTS:
        raise InvalidSamplesError(
            f"{len(z)} points say little of a branch: pass at least {MIN_DESCRIBED_POINTS}"
        )
    if points is not None:
        spread = check_magnitude("points", finite_array("points", points)).std(axis=0)
    elif spread is None:
        spread = np.ones(len(V))
    g = np.column_stack([branch(column) for branch, column in zip(branches, z.T, strict=True)])
    shares = _shares(W, g)
    mean = _mean_share(shares)
    order = np.argsort(-mean, kind="stable")
    found = tuple(
        _describe_branch(int(i), mean[i], shares[:, i], z[:, i], g[:, i], V[:, i], spread, inputs)
        for i in order
    )
    return Description(found, targets, tuple(offset.tolist()), W)


def _describe_branch(
    index: int,
    share: float,
    shares: Array,
    z: Array,
    g: Array,
    direction: Array,
    spread: Array,
    names: tuple[str, ...],
) -> BranchDescription:
    weight = np.abs(direction) * spread
    weight = weight / max(weight.max(), 1e-300)
    heaviest = np.argsort(-weight.round(2), kind="stable")  # equal ones as they come
    return BranchDescription(
        index,
        float(share),
        tuple(np.nan_to_num(shares).tolist()),
        (float(z.min()), float(z.max())),
        (float(g.min()), float(g.max())),
        nearest_shape(z, g),
        tuple((names[l], float(direction[l])) for l in heaviest),
        tuple(weight[heaviest].tolist()),
    )


def _branch_arguments(V: Array, branches: Sequence[Branch], points: object) -> Array:
    """z of every branch at the points, or at those that the branches were fitted to."""
    if points is not None:
        if isinstance(points, (list, tuple)) and all(isinstance(part, str) for part in points):
            raise InvalidOptionError(f"points is {points!r}: pass names as names=..., outputs=...")
        table = finite_array("points", points, ndim=2)
        if table.shape[1] != len(V):
            raise InvalidSamplesError(
                f"points has {table.shape[1]} columns, the function {len(V)} inputs"
            )
        return np.asarray(table @ V)
    kept = [branch.estimate for branch in branches]
    sizes = {None if marks is None else len(marks) for marks in kept}
    if len(sizes) != 1 or None in sizes:
        raise InvalidOptionError(
            "these branches keep no points: pass describe(points) of your data"
        )
    return np.column_stack([marks[:, 0] for marks in kept if marks is not None])


def _shares(W: Array, g: Array) -> Array:
    """Share of each branch in the variance of each output, (n, r).

    Covariance of the branch's contribution with the output, over the variance of the output. NaN
    for outputs that do not vary.
    """
    centred = g - g.mean(axis=0)
    total = centred @ W.T
    variance = np.mean(total**2, axis=0)
    parts = W * (total.T @ centred) / len(g)
    varies = variance > ROUNDING_VARIANCE * (W**2 @ np.mean(g**2, axis=0))
    return np.asarray(parts / np.where(varies, variance, np.nan)[:, None])


def _mean_share(shares: Array) -> Array:
    """Mean of the outputs that vary; (r,)."""
    if np.all(np.isnan(shares)):
        return np.zeros(shares.shape[1])
    return np.asarray(np.nanmean(shares, axis=0))


def _phrase(shape: Shape) -> str:
    """What a curve is, up to what it is a function of."""
    words = shape.words
    if words == "no simple shape":
        return "a curve of no simple shape along"
    if shape.name.startswith("a "):
        return f"{words} along"
    return f"an {words} function of" if words[0] in "aeio" else f"a {words} function of"
