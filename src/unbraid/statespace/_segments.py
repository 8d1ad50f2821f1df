"""Refinement on segments of growing length, for models whose simulation diverges.

A model that is nearly right can diverge over a whole record and still follow a short segment. Every
segment has its own initial state (multiple shooting, without constraints that join the segments).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .._typing import Array
from ..errors import DivergenceError
from ._equations import Equations
from ._initial_state import estimate_initial_state
from ._problem import StateSpaceProblem
from ._starts import ModelForm, refine_equations


@dataclass(frozen=True)
class SegmentSettings:
    """Lengths of the segments, and how long a model is refined on each."""

    shortest: int = 16  # samples
    growth: int = 4  # of the length from one stage to the next
    longest: int = 1024  # samples
    max_segments: int = 20  # of one stage: each adds unknown initial states
    iterations: int = 15
    tolerance: float = 1e-3  # relative decrease of the loss that counts as progress


def cut_segments(problem: StateSpaceProblem, length: int, max_segments: int) -> StateSpaceProblem:
    """A problem of segments of one length, at even distances along the records."""
    starts = [
        (k, begin)
        for k, record in enumerate(problem.records)
        for begin in range(0, len(record) - length + 1, length)
    ]
    chosen = np.unique(np.linspace(0, len(starts) - 1, min(max_segments, len(starts))).astype(int))
    segments = [
        problem.records[k].segment(begin, begin + length)
        for k, begin in (starts[index] for index in chosen)
    ]
    return replace(problem, records=tuple(segments), held_out=())


def refine_on_segments(
    problem: StateSpaceProblem,
    e: Equations,
    form: ModelForm,
    settings: SegmentSettings | None = None,
) -> Equations:
    """The equations refined on longer and longer segments, as far as that succeeds."""
    settings = SegmentSettings() if settings is None else settings
    length = settings.shortest
    while length <= min(settings.longest, max(map(len, problem.records))):
        segments = cut_segments(problem, length, settings.max_segments)
        try:
            initial = _estimate_states(segments, e)
            found = refine_equations(
                segments, e, initial, form, settings.iterations, settings.tolerance
            )
        except DivergenceError:
            break
        e = found.system
        length *= settings.growth
    return e


def _estimate_states(segments: StateSpaceProblem, e: Equations) -> Array:
    """The initial state of every segment that matches its outputs best."""
    starts = np.zeros((1, e.n_states))
    return np.array(
        [
            estimate_initial_state(e, record.u, record.y, starts, segments.bounds)
            for record in segments.records
        ]
    )
