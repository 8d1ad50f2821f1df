"""Corners of NARX models: lags that do not fit, records of odd shapes, models that run off."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

from unbraid import (
    ConvergenceWarning,
    DecoupledFunction,
    FitWarning,
    InvalidFile,
    InvalidOption,
    InvalidSamples,
    Polynomial,
    PolynomialFunction,
)
from unbraid.errors import DivergenceError, SamplingError
from unbraid.model._branch import Branch, Expansion, Nonparametric
from unbraid.narx import NARX, Estimator, fit_polynomial_narx, from_sysidentpy, load
from unbraid.narx._decoupling import decoupled
from unbraid.narx._lags import checked_spec, lags_for
from unbraid.narx._linear_branch import straightened
from unbraid.narx._static_map import Called
from unbraid.sources._callables import Evaluator

Z = np.linspace(-3, 3, 50)
RNG = np.random.default_rng(8)
U = RNG.standard_normal(120)


def branch(*coefficients):
    return Branch(Expansion(Polynomial(len(coefficients)).bind(Z), np.array(coefficients)))


def small(gain=0.3):
    """Two branches of u(t) and y(t-1), stable for small gains."""
    return DecoupledFunction(
        np.array([[gain, gain]]), np.eye(2), (branch(1.0, 0.1), branch(1.0, -0.2)), np.zeros(1)
    )


def model(**more):
    return NARX(small(), (0,), (1,), **more)


def record(function=None):
    y = NARX(function or small(), (0,), (1,)).simulate(U, [0.1])
    return U, y


# Lags and records ------------------------------------------------------------------------------


def test_the_number_of_inputs_follows_from_lags_channel_by_channel():
    lags = lags_for([(0,), (2, 3)], (1,), n_regressors=4, n_outputs=1)
    assert lags.names == ("u1(t)", "u2(t-2)", "u2(t-3)", "y(t-1)")
    with pytest.raises(InvalidOption, match="5 inputs"):
        lags_for([(0,), (2, 3)], (1,), n_regressors=5, n_outputs=1)


def test_lags_for_more_channels_than_there_are():
    lagged = NARX(None, [(0,), (1,)], (1,))
    with pytest.raises(InvalidOption, match="2 channels"):
        lagged.regressors(U, U)


def test_signals_of_three_axes():
    with pytest.raises(InvalidSamples, match=r"\(4, 2, 1\)"):
        model().predict(np.ones(4), np.ones((4, 2, 1)))


def test_every_record_has_its_own_start():
    with pytest.raises(InvalidSamples, match="initial has 3"):
        model().simulate([U, U], [[0.0], [0.0], [0.0]])
    both = model().simulate([U, U], [[0.1], [0.5]])
    assert [y[0] for y in both] == [0.1, 0.5]


def test_operating_points_of_ones_own():
    own = RNG.standard_normal((7, 2))
    np.testing.assert_array_equal(model().operating_points(own), own)
    np.testing.assert_array_equal(model().operating_points(own, data=record()), own)
    with pytest.raises(InvalidSamples, match="3 columns"):
        model().operating_points(np.ones((4, 3)), data=record())


# Decoupling and refining -----------------------------------------------------------------------


def test_the_explicit_method_ends_where_it_simulates_as_well_as_the_coupled_model():
    f = PolynomialFunction([[1.0, 0.5, 0.2]], [[1, 0], [0, 1], [0, 2]])
    draws, judged = [], []

    def draw(seed):
        draws.append(seed)
        return np.random.default_rng(4).uniform(-1, 1, (60, 2))

    def judge(function):
        judged.append(function)
        return 1.0

    options = {"method": "explicit", "smoothness": [1e-3, 1e-1], "basis": Polynomial(2)}
    with pytest.warns((ConvergenceWarning, FitWarning)) as told:
        d = decoupled(f, draw, 2, judge, 0, {**options, "n_starts": 1, "max_iterations": 2})
    assert len(draws) == 1
    assert len(judged) == 3
    assert d in judged
    assert any(said.category is ConvergenceWarning for said in told)  # of the one that is kept


def test_refining_needs_branches_in_a_basis():
    d = small()
    loose = Branch(Nonparametric(Z, Z, np.ones(Z.size)))
    coarse = NARX(DecoupledFunction(d.W, d.V, (loose, loose), d.offset), (0,), (1,))
    with pytest.raises(InvalidOption, match="basis="):
        coarse.refine(*record())


def test_samples_held_out_are_a_share_or_a_record():
    with pytest.raises(InvalidOption, match="held_out"):
        model().refine(*record(), held_out=(U,))


def test_a_model_that_no_stage_leads_in():
    with pytest.raises(DivergenceError, match="more branches"):
        model(limit=1e-9).refine(U, 1e-12 * U)


def test_branches_without_straight_parts_are_not_gathered():
    d = small()
    even = DecoupledFunction(d.W, d.V, (branch(0.0, 0.0), branch(0.0, 0.0)), d.offset)
    assert straightened(even, RNG.standard_normal((30, 2))) is None


# Other libraries -------------------------------------------------------------------------------


def fitted_elsewhere(basis, codes):
    kind = type(basis, (), {})
    return SimpleNamespace(basis_function=kind(), final_model=codes, theta=np.ones(len(codes)))


@pytest.mark.parametrize(
    ("basis", "codes", "says"),
    [
        ("Fourier", [[1001], [2001]], "Fourier"),
        ("Polynomial", [[1001], [501]], "residuals"),
    ],
)
def test_models_of_sysidentpy_that_are_not_read(basis, codes, says):
    with pytest.raises(InvalidOption, match=says):
        from_sysidentpy(fitted_elsewhere(basis, codes))


def test_parameters_of_an_estimator_can_be_set():
    estimator = Estimator(lambda p: p[:, :1] - p[:, 1:])
    assert estimator.set_params(columns=[1, 0]) is estimator
    np.testing.assert_array_equal(estimator.predict([[1.0, 3.0]]), [2.0])


# Files -----------------------------------------------------------------------------------------


def test_a_model_around_monomials_is_kept(tmp_path):
    f = PolynomialFunction([[1.0, -0.5]], [[1, 0], [0, 2]])
    path = NARX(f, (0,), (1,)).save(tmp_path / "m.json")
    again = load(path)
    np.testing.assert_array_equal(
        again.simulate(U[:9], [0.1]), NARX(f, (0,), (1,)).simulate(U[:9], [0.1])
    )
    assert isinstance(again.function, PolynomialFunction)


def test_a_polynomial_that_would_have_absurdly_many_terms(tmp_path):
    path = fit_polynomial_narx(*record(), (0,), (1,), degree=2).save(tmp_path / "m.json")
    document = json.loads(path.read_text())
    del document["checksum"]
    document["function"]["degree"] = 10**9
    path.write_text(json.dumps(document))
    with pytest.raises(InvalidFile, match="degree 1000000000"):
        load(path)


# Pictures --------------------------------------------------------------------------------------


def test_short_records_are_drawn_one_after_the_other(tmp_path):
    pytest.importorskip("matplotlib")
    u, y = record()
    figure = model().plot([u[:6], u[6:12]], [y[:6], y[6:12]], path=tmp_path / "p.png")
    top, middle, _, bottom = figure.axes
    for panel in (top, middle):
        assert [6, 6] in [list(line.get_xdata()) for line in panel.lines]
    assert not bottom.lines  # too few samples for a spectrum
    assert (tmp_path / "p.png").stat().st_size > 1000


def test_branches_of_a_model_without_data_and_with_two_outputs():
    pytest.importorskip("matplotlib")
    V = RNG.standard_normal((3, 2))
    d = DecoupledFunction(np.eye(2), V, (branch(1.0), branch(0.5)), np.zeros(2))
    figure = NARX(d, (0,), (1,)).plot_branches()
    assert len(figure.axes) == 3 * 2
    weights = [patch.get_height() for patch in figure.axes[4].patches]
    assert weights == [1, 0]
    assert [text.get_text() for text in figure.axes[4].get_xticklabels()] == ["y1", "y2"]


def test_lags_that_are_ragged_lists():
    with pytest.raises(InvalidOption, match="input_lags"):
        checked_spec("input_lags", [[[0, 1], 2], [1]])


def test_a_function_that_refuses_what_has_run_off():
    def f(p):
        if not np.all(np.isfinite(p)):
            raise ValueError("finite numbers only")
        return 5 * p[:, 1] ** 3

    model = NARX(f, (0,), (1,))
    with pytest.raises(DivergenceError, match="runs off"):
        model.simulate(np.ones(60), [3.0])
    probe = np.ones((3, 2))
    assert np.all(np.isnan(Called(Evaluator(f, probe), None, probe).values(np.inf * probe)))


def test_a_function_that_refuses_some_inputs():
    def f(p):
        if np.any(p[:, 0] > 2):
            raise ValueError("beyond my range")
        return 0.5 * p[:, 1] + p[:, 0]

    with pytest.raises(SamplingError, match="ValueError"):
        NARX(f, (0,), (1,)).simulate(np.r_[np.ones(5), 5, 1], [0.0])
