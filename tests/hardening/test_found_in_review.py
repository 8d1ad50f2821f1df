"""What careful readers found: each was a wrong number, or an error in nobody's words."""

from __future__ import annotations

import io
import warnings
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from unbraid.solvers.varpro._solver._solver import VarPro

import unbraid
from unbraid import BSpline, InvalidOption, InvalidSamples, Polynomial, Samples
from unbraid._util.archives import Unreadable, arrays_in
from unbraid.data._consistency import at_odds
from unbraid.data._splitting import split, thinned
from unbraid.narx import NARX
from unbraid.scans._labels import plain
from unbraid.solvers._constraints import Mould

SQUARE = unbraid.sampling.uniform(100, [0, 0], [1, 1], random_state=2)


def dead_zone(p):
    return 100 * np.maximum(0, p @ [0.6, 0.8] / 1.4 - 0.85) ** 2


def dead_zone_samples(points):
    above = np.maximum(0, points @ [0.6, 0.8] / 1.4 - 0.85)
    slopes = 200 * above[:, None] * np.array([0.6, 0.8]) / 1.4
    return Samples(points, dead_zone(points), slopes[:, None, :])


def bent(p):
    return np.tanh(p[:, 0] + 0.5 * p[:, 1])


# Choices ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_a_part_without_spread_judges_nothing(seed):
    points = unbraid.sampling.uniform(100, [0, 0], [1, 1], random_state=seed)
    fitted, held = split(unbraid.sample(dead_zone, points), 0.2)
    assert len(fitted) + len(held) == 100
    assert fitted.values.std() > 0 < held.values.std()


def test_a_single_lively_point_is_not_held_out():
    values = np.zeros(100)
    values[17] = 1.0
    samples = Samples(SQUARE, values, np.ones((100, 1, 2)))
    fitted, held = split(samples, 0.2)
    assert held is None
    assert len(fitted) == 100


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::unbraid.FitWarning")
def test_a_dead_zone_is_no_straight_line():
    d = unbraid.decouple(
        dead_zone, SQUARE, n_branches="auto", max_branches=2, n_starts=2, random_state=0
    )
    assert d.fitted_error[0] < 10
    assert "met the tolerance" not in d.solution.diagnosis


def test_jacobians_alone_choose_a_basis():
    samples = unbraid.sample(bent, SQUARE)
    blind = Samples(samples.points, np.zeros(100), samples.jacobians)
    d = unbraid.decouple(blind, n_branches=1, value_weight=0, random_state=0)
    off = unbraid.metrics.jacobian_error(samples.jacobians, d.jacobian(samples.points))
    assert off < 0.1
    with pytest.raises(InvalidSamples, match="'auto'"):
        unbraid.decouple(blind, n_branches="auto", value_weight=0)
    with pytest.raises(InvalidSamples, match="vary"):
        unbraid.decouple(blind, n_branches=1, jacobian_weight=0)


def test_some_of_a_grid_are_not_its_diagonal():
    axis = np.linspace(-1, 1, 40)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    some = thinned(unbraid.sample(bent, grid), 40)
    assert np.abs(np.diff(some.points, axis=1)).max() > 0.5


# Knots -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("zeros", [50, 450, 950])
@pytest.mark.parametrize("low", [0.0, -1.0])
def test_many_points_at_one_place_do_not_draw_all_knots(zeros, low):
    z = np.concatenate([np.zeros(zeros), np.linspace(low, 1, 50)])
    basis = BSpline(12).bind(z)
    assert np.diff(np.unique(basis.knots)).min() > 0.02
    assert len(np.unique(basis.knots)) == 10
    sides = basis.design(np.array([-1e-9, 1e-9]))
    assert np.abs(np.diff(sides, axis=0)).max() < 1e-6


def test_data_that_are_mostly_zero():
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, (250, 2))
    points[rng.random(250) < 0.9, 0] = 0.0

    def f(p):
        return np.column_stack([np.sin(3 * p[:, 0]) + p[:, 1] ** 2, np.tanh(2 * p[:, 1])])

    d = unbraid.decouple(f, points, n_branches=3, basis=BSpline(12), n_starts=2, random_state=0)
    assert d.fitted_error.max() < 1


@pytest.mark.slow
def test_a_regression_on_data_that_are_mostly_zero():
    pytest.importorskip("sklearn", reason="scikit-learn is an extra")
    rng = np.random.default_rng(0)
    rng.standard_normal((400, 2))
    X = rng.uniform(0, 1, (300, 2))
    X[rng.random(300) < 0.9, 0] = 0
    model = unbraid.DecoupledRegressor(n_branches=2, n_folds=2, random_state=0)
    model.fit(X, np.sin(8 * X[:, 0]) + X[:, 1])
    assert model.score(X, np.sin(8 * X[:, 0]) + X[:, 1]) > 0.95


# Files -----------------------------------------------------------------------------------------


def test_whole_numbers_of_any_kind_are_kept(tmp_path):
    for basis in (Polynomial(np.int64(5)), BSpline(np.int32(8)), unbraid.RBF(np.uint8(6))):
        d = unbraid.decouple(
            bent, SQUARE, n_branches=np.int64(1), basis=basis, n_starts=1, random_state=0
        )
        again = unbraid.load(d.save(tmp_path / "d.json"))
        np.testing.assert_array_equal(again(SQUARE), d(SQUARE))


def test_a_function_is_kept_beside_files_of_like_names(tmp_path):
    points = unbraid.sampling.uniform(900, [-1, -1], [1, 1], random_state=0)
    theirs = tmp_path / "data.npz"
    theirs.write_bytes(b"theirs")
    names = ["lambda0.1", "lambda0.2", "data.json"]
    made = [
        unbraid.decouple(bent, points, 1, basis=Polynomial(k), n_starts=1, random_state=0)
        for k in (3, 5, 7)
    ]
    for name, d in zip(names, made, strict=True):
        d.save(tmp_path / name)
    for name, d in zip(names, made, strict=True):
        np.testing.assert_array_equal(unbraid.load(tmp_path / name)(points), d(points))
    assert theirs.read_bytes() == b"theirs"


def test_a_text_of_a_hundred_megabytes_is_not_unfolded():
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("a.npy", "w") as f,
    ):
        np.lib.format.write_array(f, np.zeros(1, dtype="S100000000"))
    with pytest.raises(Unreadable, match="S100000000"):
        arrays_in(buffer.getvalue())


# Regression ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_rows_said_twice_need_no_weights():
    pytest.importorskip("sklearn", reason="scikit-learn is an extra")
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
    X[1] = X[0]
    estimator = make_pipeline(StandardScaler(), GaussianProcessRegressor(alpha=1e-6))
    model = unbraid.DecoupledRegressor(1, estimator=estimator, random_state=0).fit(X, bent(X))
    assert model.score(X, bent(X)) > 0.99
    uneven = np.linspace(1, 2, 60)
    with pytest.raises(InvalidOption, match="sample_weight"):
        model.fit(X, bent(X), sample_weight=uneven)


# Solvers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("v", [(1.0, -1.0), (1.0004, -1.0), (-1.0, 1.0004)])
def test_a_break_is_on_the_side_where_the_branch_has_it(v):
    points = unbraid.sampling.uniform(200, [-1, -1], [1, 1], random_state=0)
    direction = np.array(v) / np.linalg.norm(v)
    direction *= np.sign(direction[0])  # as V comes out: of entries as large, the first is positive
    z = points @ direction
    values = 0.2 * z + 2 * np.maximum(0, z - 0.3)
    slopes = (0.2 + 2 * (z > 0.3))[:, None] * direction
    samples = Samples(points, values, slopes[:, None, :])
    d = unbraid.decouple(
        samples, n_branches=1, method="implicit", moulds=Mould(breaks=(0.3,)), basis=None
    )
    assert d.fitted_error[0] < 1e-6


def test_three_places_are_enough_for_explicit():
    places = np.random.default_rng(0).integers(0, 3, (100, 1)).astype(float)
    samples = Samples(places, places[:, 0] ** 2, 2 * places[:, None])
    d = unbraid.decouple(samples, n_branches=1, method="explicit", basis=None)
    assert d.fitted_error[0] < 1e-6


def test_an_output_that_stands_still_does_so_without_jacobians():
    points = unbraid.sampling.uniform(200, [-1, -1], [1, 1], random_state=0)

    def f(p):
        return np.column_stack([1e-6 * np.sin(3 * p[:, 0] + p[:, 1]), np.full(len(p), 2.0)])

    d = unbraid.decouple(f, points, 2, jacobian_weight=0, n_starts=2, random_state=0)
    assert np.ptp(d(points)[:, 1]) == 0
    assert d(points)[0, 1] == pytest.approx(2.0, abs=1e-12)


@pytest.mark.slow
def test_a_small_branch_beside_a_large_one_that_polynomials_cannot_follow():
    """Screened with polynomials of one degree, both branches went along the large one."""
    rng = np.random.default_rng(4009)
    m, n, r, size = (rng.integers(*ends) for ends in ((2, 7), (1, 5), (2, 6), (200, 1500)))
    rng.integers(0, 4, r)
    W, V, b = rng.normal(size=(n, r)), rng.normal(size=(m, r)), rng.normal(size=r)
    W[:, 0] *= 1000
    points = np.random.default_rng(4786).uniform(-1.5, 1.5, (size, m))
    z = points @ V + b
    slopes = np.column_stack([1 / (1 + z[:, 0] ** 2), 1 / np.cosh(z[:, 1]) ** 2])
    values = np.column_stack([np.arctan(z[:, 0]), np.tanh(z[:, 1])]) @ W.T
    samples = Samples(points, values, np.einsum("ki,oi,li->kol", slopes, W, V))
    d = unbraid.decouple(samples, n_branches=2, random_state=0)
    assert d.held_out_error.max() < 0.01
    assert np.abs(d.V.T @ (V / np.linalg.norm(V, axis=0))).max(axis=0).min() > 0.9999


# What is said ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [2, 3, 11])
def test_exact_jacobians_are_not_accused(seed):
    points = unbraid.sampling.uniform(100, [0, 0], [1, 1], random_state=seed)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        unbraid.decouple(dead_zone_samples(points), n_branches=1, n_starts=1, random_state=0)
    assert not any("do not belong" in str(warning.message) for warning in said)


def test_rounding_in_a_constant_output_is_no_contradiction():
    samples = unbraid.sample(bent, SQUARE)
    values = np.column_stack(
        [samples.values[:, 0], np.sin(SQUARE[:, 0]) ** 2 + np.cos(SQUARE[:, 0]) ** 2]
    )
    noise = 1e-17 * np.random.default_rng(0).standard_normal((100, 1, 2))
    both = Samples(SQUARE, values, np.concatenate([samples.jacobians, noise], axis=1))
    d = unbraid.decouple(both, n_branches=1, random_state=0)  # a warning would fail here
    assert d.fitted_error[0] < 1e-3


def test_neighbours_far_from_zero():
    samples = unbraid.sample(bent, SQUARE)
    wrong = replace(samples, points=samples.points + 1e9, jacobians=3 * samples.jacobians)
    assert at_odds(wrong)


def test_copies_of_a_branch_are_said():
    points = np.random.default_rng(0).uniform(-1, 1, (100, 3))
    d = unbraid.decouple(
        lambda p: p[:, 0] ** 2, points, n_branches=3, basis=Polynomial(3), random_state=0
    )
    assert d.solution.diagnosis.startswith("2 branches more than are needed")
    assert not d.solution.details["identified"]


def test_an_exponential_far_from_zero_has_a_formula():
    points = np.random.default_rng(0).uniform(1000, 1001, (300, 1))
    d = unbraid.decouple(lambda p: np.exp(3 * (p - 1000.5)), points, n_branches=1, random_state=0)
    (branch,) = d.describe().branches
    assert "exp(3 (z - 1000.4" in branch.shape.formula
    assert "z from 1000 to 1000.9" in str(branch)


# Scans -----------------------------------------------------------------------------------------


def test_a_store_of_other_names_is_refused(tmp_path):
    pytest.importorskip("joblib", reason="scans are an extra")
    call = {"n_branches": 1, "degree": 3, "store": tmp_path / "scan.db", "progress": False}
    unbraid.scan(bent, SQUARE, names=["a", "b"], coupled_parameters=10, **call)
    unbraid.scan(bent, SQUARE, names=["a", "b"], coupled_parameters=10, **call)
    for other in ({"names": ["c", "d"], "coupled_parameters": 10}, {"names": ["a", "b"]}):
        with pytest.raises(unbraid.InvalidFile, match="another problem"):
            unbraid.scan(bent, SQUARE, **other, **call)


def test_scans_refuse_what_is_of_dynamic_models():
    pytest.importorskip("joblib", reason="scans are an extra")
    with pytest.raises(InvalidOption, match="'n_points'"):
        unbraid.scan(bent, SQUARE, n_branches=1, n_points=50)


def test_a_solver_object_draws_the_points_of_its_seed():
    pytest.importorskip("joblib", reason="scans are an extra")
    model = NARX(lambda p: np.tanh(p[:, 0] + 0.5 * p[:, 1]), (0,), (1,))
    u = np.random.default_rng(0).uniform(-1, 1, 3000)
    data = u, model.simulate(u, [0.0])
    call = {
        "n_branches": 1,
        "degree": 3,
        "method": VarPro(),
        "random_state": 0,
        "refine": False,
        "data": data,
    }
    first, again = (unbraid.scan(model, **call, progress=False)[0] for _ in range(2))
    assert first.fitted_error == again.fitted_error


def test_space_filling_points_are_not_repeated():
    rng = np.random.default_rng(0)
    model = NARX(lambda p: p[:, :1], (0, 1), (1,))
    data = rng.standard_normal(300), rng.standard_normal(300)
    points = model.operating_points("space-filling", 290, data=data)
    assert len(np.unique(points, axis=0)) == 290


def test_methods_of_objects_have_no_lasting_name():
    pytest.importorskip("joblib", reason="scans are an extra")
    with pytest.raises(InvalidOption, match="lasting name"):
        plain("callback", VarPro().prepared)
    assert plain("path", Path.home).endswith("home")


def test_a_simulation_does_without_a_jacobian_that_raises():
    class Broken:
        def __call__(self, p):
            return np.tanh(0.5 * p.sum(axis=1))

        def jacobian(self, p):
            raise RuntimeError("no slopes today")

    y = NARX(Broken(), (0,), (1,)).simulate(np.ones(200), [0.0])
    np.testing.assert_allclose(y[1:], np.tanh(0.5 * (1 + y[:-1])), rtol=1e-12)
