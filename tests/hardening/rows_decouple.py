"""Bad inputs to decouple, refine and the methods: every keyword, every option."""

from __future__ import annotations

from typing import Any

import numpy as np

import unbraid
from hardening.plain import F, J, N, P, known_function, refused, shown
from hardening.rows import Row
from unbraid import (
    BranchConstraint,
    CustomBasis,
    DecoupledFunction,
    DegenerateBranchError,
    Filter,
    InvalidOptionError,
    InvalidSamplesError,
    Polynomial,
    Samples,
    SamplingError,
    decouple,
    refine,
)

SAMPLES = Samples(P, F, J)
QUICK = {"n_branches": 1, "random_state": 0, "n_starts": 1, "basis": Polynomial(2)}


def attempt(model: Any = SAMPLES, points: Any = None, **keywords: Any) -> DecoupledFunction:
    return decouple(model, points, **{**QUICK, **keywords})


def asked(what: str, mentions: str, error: Any = InvalidOptionError, **keywords: Any) -> Row:
    return refused(f"decouple: {what}", error, mentions, attempt, **keywords)


WORDS, LIST, ARRAY = "a", [1], np.ones(3)

FRONT = [
    asked(f"{name} = {shown(value)}", name, **{name: value})
    for name, values in (
        ("n_branches", (0, -1, 1.5, 2.0, True, "Auto", ARRAY, LIST)),
        ("basis", ("polynomial", 3, Polynomial, ARRAY)),
        ("extrapolate", (None, "flat", ARRAY, LIST)),
        ("refine", (1, "yes", ARRAY)),
        ("held_out", (-0.1, 1.0, True, "a", np.nan, ARRAY)),
        ("tolerance", (0, -1.0, np.nan, True, "a", ARRAY)),
        ("max_branches", (0, 1.5, True, "a")),
        ("method", ("als", None, 3, ARRAY)),
    )
    for value in values
]
FRONT += [
    asked("1000 branches", "n_branches 1000", n_branches=1000),
    asked("a million branches", "n_branches 1000000", n_branches=10**6),
    asked("an option that is none", "'n_start'", n_start=3),
    asked("another method's option", "filters implicit", filters=Filter("left")),
    asked("options beside an object", "n_starts solver", method=unbraid.solvers.CPD()),
    asked("a class for a method", "method CPD", method=unbraid.solvers.CPD),
    asked("samples and points", "Samples own", points=P),
    asked("samples and jacobian", "Samples own", jacobian=np.sin),
    asked("three arrays", "tuple Samples", model=(P, F, J)),
    asked("a degree above the points", "basis 99", basis=Polynomial(99)),
]
FRONT += [
    asked(f"held_out {what}", f"held_out {word}", InvalidSamplesError, held_out=Samples(*arrays))
    for what, word, *arrays in (
        ("of other inputs", "inputs", P[:, :1], F, J[:, :, :1]),
        ("all alike", "vary", P, 0 * F, 0 * J),
    )
]

DATA = [
    asked(what, mentions, InvalidSamplesError, model=Samples(*arrays))
    for what, mentions, *arrays in (
        ("one point", "points few", P[:1], F[:1], J[:1]),
        ("three points", "3 few", P[:3], F[:3], J[:3]),
        ("all points alike", "points same", 0 * P + 1, F, J),
        ("alike but for rounding", "points same", 1e-10 * P + 1e6, F, J),
        ("Jacobians all zero", "Jacobian zero", P, F, 0 * J),
        ("everything constant", "Jacobian constant", P, 0 * F + 7, 0 * J),
    )
]


def line(points: np.ndarray) -> Samples:
    return Samples(points, points @ [1.0, 2.0], np.tile([1.0, 2.0], (len(points), 1, 1)))


def met(d: DecoupledFunction) -> bool:
    return bool(d.fitted_error is not None and d.fitted_error.max() < 1e-6)


FINE = [
    Row(f"decouple: {what} (fine)", lambda samples=samples: attempt(samples), holds=met)
    for what, samples in (
        ("a constant Jacobian", line(P)),
        ("points on a line", line(np.column_stack([P[:, 0], 2 * P[:, 0]]))),
        ("one input that never moves", line(np.column_stack([P[:, 0], 0 * P[:, 0]]))),
        ("repeated points", line(np.repeat(P[:6], 5, axis=0))),
        ("four points", line(P[:4])),
        ("points at 1e90", line(1e90 * P)),
        ("points at 1e-90", line(1e-90 * P)),
        ("half precision", line(P.astype(np.float16).astype(float))),
        (
            "a constant output beside",
            Samples(
                P,
                np.hstack([P @ [[1.0], [2.0]], 0 * F + 7]),
                np.tile([[1.0, 2.0], [0.0, 0.0]], (N, 1, 1)),
            ),
        ),
    )
]

CUSTOM = [
    asked(f"custom basis {what}", f"CustomBasis {word}", error, basis=CustomBasis([phi], [np.cos]))
    for what, error, word, phi in (
        ("raises", SamplingError, "failed", lambda z: z / []),
        ("of another shape", SamplingError, "shape", lambda z: z[:3]),
        ("is NaN", SamplingError, "finite", lambda z: np.full_like(z, np.nan)),
        ("gives None", InvalidSamplesError, "None", lambda z: None),
    )
]


class Known:
    def __init__(self, W: Any, V: Any) -> None:
        self.W, self.V = W, V


OPTIONS = [
    asked(f"{method}'s {name} = {shown(value)}", name, method=method, **{name: value})
    for methods, name, values in (
        ("varpro implicit cpd", "n_starts", (0, -1, 1.5, True, "a", ARRAY)),
        ("varpro implicit cpd", "max_iterations", (0, 1.5, "a")),
        ("varpro implicit cpd", "random_state", (-1, 1.5, True, "a")),
        ("varpro implicit cpd", "callback", (1, "a", ARRAY)),
        ("varpro implicit cpd", "weights", (1.0, [-1.0], "a", ARRAY)),
        ("varpro implicit explicit cpd", "n_jobs", (0, 1.5, True, "a", ARRAY, map)),
        ("varpro", "jacobian_weight", (-1.0, np.nan, None, "a", ARRAY)),
        ("varpro", "value_weight", (-1.0, np.inf, True)),
        ("varpro", "smoothing", (-1.0, np.nan, "auto", ARRAY)),
        ("varpro", "known", (1, "a", [object()], None)),
        ("implicit", "filters", (3, 1.5, "left", [], [3], ARRAY)),
        ("implicit", "constraints", (3, "detect", [3], ARRAY)),
        ("implicit explicit", "v_update", (None, "slow", LIST, ARRAY)),
        ("explicit", "smoothness", (-1.0, "1", [], 1j, 1e300, True, [[1.0]])),
    )
    for method in methods.split()
    for value in values
]
OPTIONS += [
    asked(f"explicit's window = {shown(value)}", "points filter", method="explicit", window=value)
    for value in (1, 2.5, "a", None)
]
OPTIONS += [
    asked(f"known {what}", f"known {word}", error, known=[Known(W, V)])
    for what, error, word, W, V in (
        ("of other inputs", InvalidOptionError, "inputs", np.ones((1, 1)), np.ones((3, 1))),
        ("of two sizes", InvalidOptionError, "different", np.ones((1, 3)), np.ones((2, 5))),
        ("without numbers", InvalidSamplesError, "None", [[1.0]], None),
        ("NaN", InvalidSamplesError, "NaN", [[np.nan]], np.ones((2, 1))),
    )
]
OPTIONS += [
    asked(what, mentions, method="implicit", **keywords)
    for what, mentions, keywords in (
        (
            "three constraints for one branch",
            "constraints branches",
            {"constraints": [BranchConstraint()] * 3},
        ),
        ("a window of 20", "window 20", {"filters": Filter("left", 20)}),
    )
]
OPTIONS += [
    asked("both weights 0", "jacobian_weight both", jacobian_weight=0, value_weight=0),
    asked(
        "a generator without a seed",
        "random_state Generator(",
        random_state=np.random.Generator(np.random.RandomState(0)._bit_generator),
    ),
    asked("an old RandomState", "RandomState(", random_state=np.random.RandomState(0)),
    asked("a callback and processes", "callback n_jobs=1", n_jobs=2, callback=print),
    asked(
        "a window above the points",
        "points window",
        InvalidSamplesError,
        model=line(P[:5]),
        method="implicit",
        filters=Filter("left", 9),
        basis=Polynomial(1),
    ),
    asked(
        "flat everywhere",
        "constraint flat",
        DegenerateBranchError,
        method="implicit",
        constraints=BranchConstraint(limits=(100.0, 200.0)),
    ),
    asked(
        "weights 1e300 apart",
        "weights differ",
        model=Samples(P, np.hstack([F, F]), np.concatenate([J, J], axis=1)),
        weights=[1e300, 1e-300],
    ),
    Row("decouple: weights of 1e300 (fine)", lambda: attempt(line(P), weights=[1e300]), holds=met),
    Row(
        "decouple: jacobian_weight 1e300 (fine)",
        lambda: attempt(line(P), jacobian_weight=1e300),
        holds=met,
    ),
]


METHODS = [
    refused(
        f"{method}.solve: {shown(count)}",
        InvalidOptionError,
        f"n_branches {count}",
        unbraid.solvers.METHODS[method](random_state=0).solve,
        SAMPLES,
        count,
    )
    for method in unbraid.solvers.METHODS
    for count in (0, 1.5, "auto", None, 10**6)
]
METHODS += [
    refused(
        f"{name}.solve: an array", InvalidSamplesError, "Samples( ndarray", method().solve, P, 1
    )
    for name, method in unbraid.solvers.METHODS.items()
]


def quitting(method: str) -> str:
    """What the user's own callback raises is the user's: it comes through as it is."""

    def callback(_: Any) -> None:
        raise ZeroDivisionError("mine")

    try:
        attempt(method=method, callback=callback)
    except ZeroDivisionError as error:
        return str(error)
    return "nothing"


CALLBACKS = [
    Row(
        f"decouple: a callback that raises in {method}",
        lambda method=method: quitting(method),
        holds=lambda said: said == "mine",
    )
    for method in ("varpro", "implicit", "cpd")
]


def better(d: Any = None, samples: Any = SAMPLES, **keywords: Any) -> DecoupledFunction:
    return refine(known_function() if d is None else d, samples, **keywords)


REFINE = [
    refused(f"refine: {name} = {shown(value)}", error, name, better, **{name: value})
    for error, name, values in (
        (InvalidOptionError, "basis", (3, "a", ARRAY)),
        (InvalidOptionError, "jacobian_weight", (-1.0, np.nan, "a", ARRAY)),
        (InvalidOptionError, "smoothing", (-1.0, "Auto", ARRAY)),
        (InvalidOptionError, "cancellation", (-1.0, None)),
        (InvalidOptionError, "max_iterations", (-1, 1.5, True)),
        (InvalidOptionError, "weights", ([0.0], [1.0, 2.0])),
        (InvalidOptionError, "point_weights", (np.ones(3), -np.ones(N), np.zeros(N))),
        (InvalidSamplesError, "point_weights", (1.0, np.ones((N, 1)))),
        (InvalidOptionError, "samples", (None, P)),
        (InvalidSamplesError, "samples", (Samples(np.eye(3), np.ones(3), np.eye(3)),)),
    )
    for value in values
]
REFINE += [
    refused("refine: d = 3", InvalidOptionError, "DecoupledFunction int", better, 3),
    refused("refine: d = 'a'", InvalidOptionError, "DecoupledFunction str", better, "a"),
]

ROWS = FRONT + DATA + FINE + CUSTOM + OPTIONS + METHODS + CALLBACKS + REFINE
