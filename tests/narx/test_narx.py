"""NARX models on the Duffing twin and on the Silverbox record, and bad input."""

from __future__ import annotations

import numpy as np
import pytest

import unbraid
from narx.systems import cubic_system
from records import require_record
from reference import narx as reference_loop
from unbraid import InvalidOptionError, InvalidSamplesError, Polynomial
from unbraid.cases import duffing, silverbox
from unbraid.narx import NARX, fit_polynomial_narx


@pytest.fixture(scope="module")
def twin():
    data = duffing(16384, 8192, random_state=0)
    return data, fit_polynomial_narx(*data.train)


def test_describes_a_decoupled_model():
    data = duffing(1024, 64, random_state=0)
    model = fit_polynomial_narx(*data.train)
    with pytest.raises(InvalidOptionError, match="decouple first"):
        model.describe()
    small = model.decouple(2, n_starts=2, random_state=0)
    found = small.describe()
    assert found.words.startswith("y(t) is")
    assert "y(t-1)" in found.inputs
    points = found.form.mean + found.form.spread * np.random.default_rng(0).normal(size=(20, 5))
    np.testing.assert_allclose(found.form(points), small.function(points), atol=1e-9)
    other = small.describe(names=list("abcde"), outputs=["position"])
    assert other.words.startswith("position is")


def test_twin_has_a_linear_and_a_cubic_branch(twin):
    data, reference = twin
    tuned = reference.decouple(2, random_state=0).refine(*data.train)
    assert tuned.score(*data.test, initial=50).percent < 1.1  # the noise is 1 %
    assert tuned.score(*data.arrow, initial=50).percent < 1.5
    straight, cubic = tuned.function.branches
    z = tuned.function.transform(tuned.regressors(*data.train))

    def share_of(branch, column, powers):
        g = branch(column) - branch(column).mean()
        design = np.stack([column**p for p in powers], axis=1)
        design = design - design.mean(axis=0)
        rest = g - design @ np.linalg.lstsq(design, g, rcond=None)[0]
        return 1 - np.var(rest) / np.var(g)

    assert share_of(straight, z[:, 0], [1]) > 0.999
    assert share_of(cubic, z[:, 1], [1, 3]) > 0.99
    assert share_of(cubic, z[:, 1], [1]) < 0.7
    assert abs(tuned.function.V[2, 1]) > 0.95  # the cubic spring acts on y(t-1)


@pytest.mark.slow
def test_case_study_three_on_the_twin(twin):
    data, reference = twin
    found = unbraid.scan(
        reference, n_branches=(1, 2, 3), refine=[False, True], test=data.arrow, initial=50
    )
    test = {(row.n_branches, row.settings["refine"]): row.held_out_error for row in found.rows}
    coupled = found.reference_errors[1]
    assert test[1, False] > 5 * test[2, True]
    assert test[3, False] < 1.5 * coupled
    assert max(test[2, True], test[3, True]) < coupled


@pytest.mark.slow
def test_explicit_method_on_the_twin(twin):
    data, reference = twin
    small = reference.decouple(3, method="explicit", random_state=0)
    most = 1.5 * reference.score(*data.arrow, initial=50).percent
    assert small.score(*data.arrow, initial=50).percent < most


@pytest.fixture(scope="module")
def record():
    data = silverbox(require_record("silverbox.npz"))
    return data, fit_polynomial_narx(*data.train, (0, 1), (1, 2, 3), 3)


@pytest.mark.slow
def test_silverbox_reference(record):
    data, reference = record
    score = reference.score(*data.arrow, initial=50)
    assert reference.n_parameters == 56
    assert abs(1e3 * score.rmse - 0.54) < 0.02
    assert abs(score.percent - 1.02) < 0.02


@pytest.mark.slow
def test_silverbox_decoupled(record):
    data, reference = record
    for r, most in ((3, 1.4), (4, 1.05)):
        small = reference.decouple(n_branches=r, basis=Polynomial(3), random_state=0)
        assert small.score(*data.arrow, initial=50).percent <= most


@pytest.mark.slow
def test_silverbox_by_the_explicit_method(record):
    data, reference = record
    grid = [10.0 ** (2 * k) for k in (-1, 0, 1, 2, 3, 5)]
    small = reference.decouple(
        3, method="explicit", smoothness=grid, basis=Polynomial(3), random_state=0
    )
    most = 1.5 * reference.score(*data.arrow, initial=50).percent
    assert small.score(*data.arrow, initial=50).percent <= most


@pytest.mark.slow
def test_silverbox_refined(record):
    data, reference = record
    for r, freedom, most in ((2, 17, 0.80), (3, 25, 0.70)):
        tuned = reference.decouple(n_branches=r, basis=Polynomial(3), random_state=0).refine(
            *data.train
        )
        assert tuned.function.degrees_of_freedom == freedom
        assert tuned.score(*data.arrow, initial=50).percent <= most
        assert tuned.refinement.converged


@pytest.mark.slow
def test_silverbox_simulation_equals_the_loop(record):
    data, reference = record
    u, y = data.arrow
    slow = reference_loop.simulate(
        reference.function, u[:4000, None], y[:50, None], (0, 1), (1, 2, 3)
    )
    fast = reference.simulate(u, y[:50])
    assert np.abs(fast[:4000] - slow[:, 0]).max() < 1e-9


U, Y = cubic_system(100)
BAD = {
    "lag 0 of the output": (lambda: NARX(abs, (0,), (0, 1)), InvalidOptionError, "output_lags"),
    "a negative lag": (lambda: NARX(abs, (-1,), (1,)), InvalidOptionError, "future"),
    "a lag twice": (lambda: NARX(abs, (1, 1), (1,)), InvalidOptionError, "twice"),
    "a lag of 1.5": (lambda: NARX(abs, (1.5,), (1,)), InvalidOptionError, "whole numbers"),
    "no lags": (lambda: NARX(abs, (), ()), InvalidOptionError, "both empty"),
    "a number for lags": (lambda: NARX(abs, 3, (1,)), InvalidOptionError, "lags like"),
    "a short record": (lambda: fit_polynomial_narx(U[:3], Y[:3]), InvalidSamplesError, "3 samples"),
    "too few samples": (
        lambda: fit_polynomial_narx(U[:30], Y[:30]),
        InvalidSamplesError,
        "56 terms",
    ),
    "NaN in u": (
        lambda: fit_polynomial_narx(np.where(U > 0.9, np.nan, U), Y),
        InvalidSamplesError,
        "NaN",
    ),
    "NaN in y": (
        lambda: fit_polynomial_narx(U, np.where(Y > 0.9, np.nan, Y)),
        InvalidSamplesError,
        "NaN",
    ),
    "unequal lengths": (lambda: fit_polynomial_narx(U, Y[:-1]), InvalidSamplesError, "99 of y"),
    "a constant input": (
        lambda: fit_polynomial_narx(np.ones(100), Y),
        InvalidSamplesError,
        "constant",
    ),
    "a constant output": (
        lambda: fit_polynomial_narx(U, np.ones(100)),
        InvalidSamplesError,
        "constant",
    ),
    "degree 0": (lambda: fit_polynomial_narx(U, Y, degree=0), InvalidOptionError, "degree"),
    "a negative ridge": (lambda: fit_polynomial_narx(U, Y, ridge=-1), InvalidOptionError, "ridge"),
    "records that differ": (
        lambda: fit_polynomial_narx([U, U], [Y]),
        InvalidSamplesError,
        "2 records",
    ),
    "a list of lists": (
        lambda: fit_polynomial_narx([[1, 2]], [[1, 2]]),
        InvalidSamplesError,
        "lists",
    ),
    "all of y as a start": (lambda: MODEL.simulate(U, Y), InvalidSamplesError, "initial has 100"),
    "too short a start": (lambda: MODEL.simulate(U, Y[:1]), InvalidSamplesError, "longest lag"),
    "a start of other outputs": (
        lambda: MODEL.simulate(U, np.zeros((2, 2))),
        InvalidSamplesError,
        "2 outputs",
    ),
    "initial beyond the record": (
        lambda: MODEL.score(U, Y, initial=100),
        InvalidSamplesError,
        "leaves nothing",
    ),
    "initial below the lags": (lambda: MODEL.score(U, Y, initial=1), InvalidOptionError, "initial"),
    "more inputs than lags": (
        lambda: MODEL.score(np.ones((100, 2)), Y),
        InvalidSamplesError,
        "regressors",
    ),
    "no data to decouple on": (
        lambda: NARX(MODEL.function, (0, 1), (1, 2)).decouple(2),
        InvalidOptionError,
        "data=",
    ),
    "points by an unknown name": (
        lambda: MODEL.decouple(2, points="all"),
        InvalidOptionError,
        "points",
    ),
    "points of other lags": (
        lambda: MODEL.decouple(2, points=np.eye(3)),
        InvalidSamplesError,
        "4 regressors",
    ),
    "no spread": (lambda: MODEL.decouple(2, spread=0.0), InvalidOptionError, "spread"),
    "refining a polynomial": (lambda: MODEL.refine(U, Y), InvalidOptionError, "decouple"),
    "all held out": (lambda: SMALL.refine(U, Y, held_out=1.0), InvalidOptionError, "too little"),
    "weights of 0 where it matters": (
        lambda: SMALL.refine(U, Y, weights=np.r_[np.ones(80), np.zeros(20)]),
        InvalidSamplesError,
        "held_out=0",
    ),
    "negative weights": (lambda: SMALL.refine(U, Y, weights=-U), InvalidSamplesError, "weights"),
    "weights of another length": (
        lambda: SMALL.refine(U, Y, weights=np.ones(5)),
        InvalidSamplesError,
        "lengths",
    ),
    "held-out data of other channels": (
        lambda: SMALL.refine(U, Y, held_out=(np.column_stack([U, U]), Y)),
        InvalidSamplesError,
        "held_out has",
    ),
    "too little held out": (
        lambda: SMALL.refine(U, Y, held_out=1e-3),
        InvalidSamplesError,
        "too short",
    ),
    "refining what ends at the data": (
        lambda: MODEL.decouple(1, extrapolate="nan", n_points=60, random_state=0).refine(U, Y),
        InvalidOptionError,
        "extrapolate",
    ),
    "a negative limit": (lambda: NARX(abs, (0,), (1,), limit=-1), InvalidOptionError, "limit"),
    "a limit that is no number": (
        lambda: NARX(abs, (0,), (1,), limit="abc"),
        InvalidSamplesError,
        "limit",
    ),
    "rows for columns": (
        lambda: fit_polynomial_narx(U[None], Y[None]),
        InvalidSamplesError,
        "transpose",
    ),
    "no signal to noise": (
        lambda: duffing(256, 256, signal_to_noise=np.nan),
        InvalidOptionError,
        "signal_to_noise",
    ),
    "no steps": (
        lambda: SMALL.refine(U, Y, max_iterations=0),
        InvalidOptionError,
        "max_iterations",
    ),
    "branches of a polynomial": (lambda: MODEL.plot_branches(), InvalidOptionError, "decouple"),
    "a map of other outputs": (
        lambda: NARX(lambda p: p[:, :2], (0, 1), (1, 2)).simulate(U, Y[:2]),
        InvalidSamplesError,
        "2 outputs",
    ),
    "a map that is none": (
        lambda: NARX("f", (0,), (1,)).simulate(U, Y[:2]),
        InvalidOptionError,
        "cannot evaluate",
    ),
    "a map that raises": (
        lambda: NARX(lambda p: 1 / 0, (0,), (1,)).simulate(U, Y[:2]),
        unbraid.SamplingError,
        "ZeroDivision",
    ),
    "a twin of few samples": (lambda: duffing(10), InvalidOptionError, "n_samples"),
}
MODEL = fit_polynomial_narx(U, Y, (0, 1), (1, 2), 2)
SMALL = MODEL.decouple(1, random_state=0, n_points=60)


@pytest.mark.parametrize("case", BAD)
def test_rejects_bad_input_with_a_remedy(case):
    work, kind, message = BAD[case]
    with pytest.raises(kind, match=message):
        work()
