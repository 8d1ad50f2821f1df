"""Bad inputs to decouple, refine and the methods: every keyword, every option."""

from __future__ import annotations

from typing import Any

import numpy as np

import unbraid
from hardening.plain import F, J, N, P, known_function, refused, shown
from hardening.rows import Row
from unbraid import (
    CustomBasis,
    DecoupledFunction,
    DegenerateBranch,
    Filter,
    InvalidOption,
    InvalidSamples,
    Mould,
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


def asked(what: str, says: str, error: Any = InvalidOption, **keywords: Any) -> Row:
    return refused(f"decouple: {what}", error, says, attempt, **keywords)


WORDS, LIST, ARRAY = "a", [1], np.ones(3)

FRONT = [
    asked(f"{name} = {shown(value)}", says, **{name: value})
    for name, says, values in (
        ("n_branches", "whole number of at least 1", (0, -1, 1.5, 2.0, True, "Auto", ARRAY, LIST)),
        ("basis", r"pass Polynomial\(degree\)", ("polynomial", 3, Polynomial, ARRAY)),
        ("extrapolate", "choose 'linear', 'basis' or 'nan'", (None, "flat", ARRAY, LIST)),
        ("refine", "True, False or None", (1, "yes", ARRAY)),
        ("held_out", "the share of the points", (-0.1, 1.0, True, "a", np.nan, ARRAY)),
        ("tolerance", "positive number of %", (0, -1.0, np.nan, True, "a", ARRAY)),
        ("max_branches", "max_branches must be a whole number", (0, 1.5, True, "a", None)),
        ("method", "a name or an object with solve|choose one of", ("als", None, 3, ARRAY)),
    )
    for value in values
]
FRONT += [
    asked("n_branches missing", "say how many univariate functions", n_branches=None),
    asked("1000 branches", "can tell apart: use at most 30, or 'auto'", n_branches=1000),
    asked("a million branches", "can tell apart", n_branches=10**6),
    asked("an option that is none", "has no option 'n_start'; it takes", n_start=3),
    asked("another method's option", "belongs to method='implicit'", filters=Filter("left")),
    asked("options beside an object", "belong into the solver", method=unbraid.solvers.CPD()),
    asked("a class for a method", "an object with solve", method=unbraid.solvers.CPD),
    asked("samples and points", "hold their own points", points=P),
    asked("samples and jacobian", "hold their own points", jacobian=np.sin),
    asked("three arrays", r"Samples\(points", model=(P, F, J)),
    asked(
        "held_out of other inputs",
        "held_out has 1 inputs",
        InvalidSamples,
        held_out=Samples(P[:, :1], F, J[:, :, :1]),
    ),
    asked(
        "held_out all alike", "cover the domain", InvalidSamples, held_out=Samples(P, 0 * F, 0 * J)
    ),
    asked("a degree above the points", "a smaller basis or more points", basis=Polynomial(99)),
]

DATA = [
    asked(what, says, InvalidSamples, model=Samples(points, values, jacobians))
    for what, says, points, values, jacobians in (
        ("one point", "at least 4, better 50", P[:1], F[:1], J[:1]),
        ("three points", "at least 4, better 50", P[:3], F[:3], J[:3]),
        ("all points alike", "choose points that cover", 0 * P + 1, F, J),
        ("alike but for rounding", "choose points that cover", 1e-10 * P + 1e6, F, J),
        ("Jacobians all zero", "choose points where it varies", P, F, 0 * J),
        ("everything constant", "f is constant on these points", P, 0 * F + 7, 0 * J),
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
    asked(f"custom basis {what}", says, SamplingError, basis=CustomBasis([phi], [np.cos]))
    for what, phi, says in (
        ("raises", lambda z: z / [], "function 0 of the CustomBasis failed"),
        ("of another shape", lambda z: z[:3], "return one of the same shape"),
        ("is NaN", lambda z: np.full_like(z, np.nan), "not finite at z = .*; repair it"),
    )
]
CUSTOM += [
    asked(
        "custom basis gives None",
        "function 0 of the CustomBasis is None",
        InvalidSamples,
        basis=CustomBasis([lambda z: None], [np.cos]),
    ),
]


class Known:
    def __init__(self, W: Any, V: Any) -> None:
        self.W, self.V = W, V


OPTIONS = [
    asked(f"{method}'s {name} = {shown(value)}", says, method=method, **{name: value})
    for methods, name, says, values in (
        ("varpro implicit cpd", "n_starts", "n_starts must be", (0, -1, 1.5, True, "a", ARRAY)),
        ("varpro implicit cpd", "max_iterations", "max_iterations must be", (0, 1.5, "a")),
        ("varpro implicit cpd", "random_state", "random_state must be", (-1, 1.5, True, "a")),
        ("varpro implicit cpd", "callback", "must be callable", (1, "a", ARRAY)),
        (
            "varpro implicit cpd",
            "weights",
            "one positive number for each",
            (1.0, [-1.0], "a", ARRAY),
        ),
        ("varpro implicit explicit cpd", "workers", "workers .* must be", (0, -2, 1.5, "a", ARRAY)),
        ("varpro", "jacobian_weight", "finite number >= 0", (-1.0, np.nan, None, "a", ARRAY)),
        ("varpro", "value_weight", "finite number >= 0", (-1.0, np.inf, True)),
        ("varpro", "smoothing", "finite number >= 0", (-1.0, np.nan, "auto", ARRAY)),
        ("varpro", "known", "list of decouplings", (1, "a", [object()], None)),
        ("implicit", "filters", "hold Filter objects", (3, 1.5, "left", [], [3], ARRAY)),
        ("implicit", "moulds", "moulds must be a Mould", (3, "detect", [3], ARRAY)),
        ("implicit explicit", "v_update", "choose one of 'function'", (None, "slow", LIST, ARRAY)),
        (
            "explicit",
            "smoothness",
            "one or more numbers",
            (-1.0, "1", [], 1j, 1e300, True, [[1.0]]),
        ),
        ("explicit", "window", "points of a filter must be", (1, 2.5, "a", None)),
    )
    for method in methods.split()
    for value in values
]
OPTIONS += [
    asked("both weights 0", "nothing to fit", jacobian_weight=0, value_weight=0),
    asked(
        "known of other inputs", "of other inputs", known=[Known(np.ones((1, 1)), np.ones((3, 1)))]
    ),
    asked(
        "known of two sizes", "different numbers", known=[Known(np.ones((1, 3)), np.ones((2, 5)))]
    ),
    asked(
        "known without numbers", "V of known is None", InvalidSamples, known=[Known([[1.0]], None)]
    ),
    asked(
        "known NaN", "W of known holds", InvalidSamples, known=[Known([[np.nan]], np.ones((2, 1)))]
    ),
    asked(
        "a generator without a seed",
        "a Generator with a seed",
        random_state=np.random.Generator(np.random.RandomState(0)._bit_generator),
    ),
    asked("an old RandomState", "a Generator with a seed", random_state=np.random.RandomState(0)),
    asked("a callback and processes", "use workers=None", workers=2, callback=print),
    asked(
        "a map that maps nothing", "0 results for", method="implicit", workers=lambda f, tasks: []
    ),
    asked(
        "a map that gives None", "0 results for", method="implicit", workers=lambda f, tasks: None
    ),
    asked(
        "three moulds for one branch", "give one a branch", method="implicit", moulds=[Mould()] * 3
    ),
    asked(
        "a window above the points",
        "use more points or shorter windows",
        InvalidSamples,
        model=line(P[:5]),
        method="implicit",
        filters=Filter("left", 9),
        basis=Polynomial(1),
    ),
    asked("a window of 20", "use at most 15", method="implicit", filters=Filter("left", 20)),
    asked(
        "flat everywhere",
        "widen the limits of the mould",
        DegenerateBranch,
        method="implicit",
        moulds=Mould(limits=(100.0, 200.0)),
    ),
    asked(
        "weights 1e300 apart",
        "weights differ by more than",
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
        InvalidOption,
        says,
        unbraid.solvers.METHODS[method](random_state=0).solve,
        SAMPLES,
        count,
    )
    for method in unbraid.solvers.METHODS
    for count, says in (
        (0, "n_branches must be"),
        (1.5, "n_branches must be"),
        ("auto", "n_branches must be"),
        (None, "n_branches must be"),
        (10**6, "use at most 30"),
    )
]
METHODS += [
    refused(
        f"{method}.solve: an array",
        InvalidSamples,
        r"Samples\(points, values, jacobians\), got ndarray",
        unbraid.solvers.METHODS[method]().solve,
        P,
        1,
    )
    for method in unbraid.solvers.METHODS
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
    refused(f"refine: {name} = {shown(value)}", error, says, better, **{name: value})
    for name, says, error, values in (
        ("basis", "refine needs branches in one basis", InvalidOption, (3, "a", ARRAY)),
        ("jacobian_weight", "finite number >= 0", InvalidOption, (-1.0, np.nan, "a", ARRAY)),
        ("smoothing", "finite number >= 0", InvalidOption, (-1.0, "Auto", ARRAY)),
        ("cancellation", "finite number >= 0", InvalidOption, (-1.0, None)),
        ("max_iterations", "at least 0", InvalidOption, (-1, 1.5, True)),
        ("weights", "one positive number for each", InvalidOption, ([0.0], [1.0, 2.0])),
        ("point_weights", "one a point", InvalidOption, (np.ones(3), -np.ones(N), np.zeros(N))),
        ("point_weights", "must be a vector", InvalidSamples, (1.0, np.ones((N, 1)))),
        ("d", "takes a DecoupledFunction", InvalidOption, (3, "a")),
        ("samples", "takes a DecoupledFunction and Samples", InvalidOption, (None, P)),
        (
            "samples",
            "the samples 3 and 1",
            InvalidSamples,
            (Samples(np.eye(3), np.ones(3), np.eye(3)),),
        ),
    )
    for value in values
]

ROWS = FRONT + DATA + FINE + CUSTOM + OPTIONS + METHODS + CALLBACKS + REFINE
