"""Small rooms: metrics, sampling, tensor, factors, plotting."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unbraid
from unbraid import InvalidOption, InvalidSamples, MissingExtra, metrics, sampling
from unbraid._util.linalg import k_rank, khatri_rao, subspace
from unbraid.solvers._factors import Factors, disagreement


def test_relative_error_is_the_papers():
    f = np.array([[1.0, 10.0], [3.0, 30.0]])
    np.testing.assert_allclose(unbraid.relative_error(f, f + np.array([1, 10])), [100, 100])
    np.testing.assert_allclose(unbraid.relative_error([1.0, 1.0], [1.0, 1.0]), [0])
    assert np.isinf(unbraid.relative_error([1.0, 1.0], [1.0, 2.0]))[0]
    with pytest.raises(InvalidSamples):
        unbraid.relative_error([1.0, 2.0], [1.0, 2.0, 3.0])
    with pytest.raises(InvalidSamples):
        metrics.jacobian_error(np.ones((2, 1, 1)), np.ones((3, 1, 1)))


def test_parameter_counts_of_the_paper():
    assert metrics.paper_parameter_count(5, 1, 3, 5, "table2") == 36
    assert metrics.paper_parameter_count(5, 1, 3, 3, "narx") == 30
    ratios = [382 / metrics.paper_parameter_count(2, 2, r, 7, "table3") for r in (1, 6, 10)]
    np.testing.assert_allclose(ratios, [27.3, 5.5, 3.4], atol=0.06)
    assert metrics.monomial_count(5, 6, lowest=2) == 456
    assert metrics.monomial_count(2, 3, lowest=0) == 10
    with pytest.raises(InvalidOption):
        metrics.paper_parameter_count(1, 1, 1, 1, "table9")


@pytest.mark.parametrize("draw", [sampling.uniform, sampling.sobol, sampling.latin_hypercube])
def test_points_fill_their_box(draw):
    points = draw(100, [-1, 2], [1, 5], random_state=0)
    assert points.shape == (100, 2)
    assert np.all((points >= [-1, 2]) & (points <= [1, 5]))
    assert np.all(np.ptp(points, axis=0) > [1.8, 2.7])
    np.testing.assert_array_equal(points, draw(100, [-1, 2], [1, 5], random_state=0))
    with pytest.raises(InvalidOption, match="low < high"):
        draw(10, [0, 0], [1, 0])
    with pytest.raises(InvalidOption, match="n_points"):
        draw(0, [0], [1])
    with pytest.raises(InvalidOption, match="differ"):
        draw(5, [0, 0], [1, 1, 1])
    with pytest.raises(InvalidOption, match="random_state"):
        draw(5, [0], [1], random_state="dice")


def test_points_from_data(rng):
    data = rng.standard_normal((50, 2)) @ [[2.0, 1.0], [0.0, 0.1]]
    rows = sampling.from_data(data, 20, random_state=0)
    assert all(np.any(np.all(row == data, axis=1)) for row in rows)
    with pytest.raises(InvalidOption, match="50 rows"):
        sampling.from_data(data, 51)
    drawn = sampling.gaussian_like(data, 4000, spread=2.0, random_state=0)
    np.testing.assert_allclose(np.cov(drawn.T), 4 * np.cov(data.T), rtol=0.15, atol=0.05)


def polyadic(W, V, G):
    return np.einsum("oi,li,ki->kol", W, V, G)


def test_tensor_helpers(rng):
    W, V, G = rng.standard_normal((2, 3)), rng.standard_normal((4, 3)), rng.standard_normal((5, 3))
    J = polyadic(W, V, G)
    np.testing.assert_allclose(J.reshape(5, -1), G @ khatri_rao(W, V).T)
    assert subspace(rng.standard_normal((20, 3))) is None
    assert subspace(np.outer(rng.standard_normal(20), [1.0, 2.0, 3.0])).shape == (3, 1)
    assert k_rank(np.eye(3)) == 3
    assert k_rank(np.array([[1.0, 0, 1], [0, 1, 1]])) == 2
    assert k_rank(np.array([[1.0, 2], [1, 2]])) == 1
    assert k_rank(np.zeros((2, 2))) == 0


@given(seed=st.integers(0, 1000), r=st.integers(1, 4))
def test_disagreement_ignores_order_sign_and_scale(seed, r):
    rng = np.random.default_rng(seed)
    a = Factors(*(rng.standard_normal((5, r)) for _ in range(5)))
    order = rng.permutation(r)
    scale = rng.uniform(0.5, 2, r) * rng.choice([-1, 1], r)
    b = Factors(a.W * scale, a.V / scale, a.G, a.z, a.derivatives).permuted(order)
    assert disagreement(a, b) < 1e-7
    n = a.normalised()
    np.testing.assert_allclose(polyadic(n.W, n.V, n.derivatives), polyadic(a.W, a.V, a.derivatives))
    assert np.all(np.take_along_axis(n.V, np.abs(n.V).argmax(0)[None], 0) > 0)
    if r > 1:
        other = Factors(rng.standard_normal((5, r)), a.V, a.G, a.z, a.derivatives)
        assert disagreement(a, other) > 1e-3


@pytest.mark.slow
def test_plot_draws_every_branch(tmp_path):
    d = unbraid.decouple(
        unbraid.cases.toy_samples(50, 0),
        n_branches=5,
        n_starts=1,
        random_state=0,
        basis=unbraid.Polynomial(3),
        method="cpd",
    )
    figure = d.plot(tmp_path / "branches.png")
    panels = [axes for axes in figure.axes if axes.get_visible() and axes.lines]
    assert len(panels) == 5
    assert all(len(axes.lines) == 2 for axes in panels)
    _, fit = panels[0].lines
    np.testing.assert_allclose(fit.get_ydata(), d.branches[0](fit.get_xdata()))
    with pytest.raises(unbraid.InvalidFile, match="cannot write"):
        d.plot(tmp_path / "no" / "folder.png")
    assert (tmp_path / "branches.png").stat().st_size > 10_000


def test_plot_without_matplotlib_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    branch = unbraid.model._branch.fit_branch(unbraid.Polynomial(1), np.arange(5.0), np.arange(5.0))
    with pytest.raises(MissingExtra, match=r"unbraid\[plot\]"):
        unbraid.model._plotting.plot_branches([branch])


def test_import_is_light():
    code = (
        "import sys, unbraid; "
        "heavy = {'matplotlib', 'torch', 'jax', 'sklearn', 'pandas'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
