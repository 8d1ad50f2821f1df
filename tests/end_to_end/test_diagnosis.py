"""Tests of diagnosis."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unbraid
from effort import examples
from unbraid import ConvergenceWarning, FitWarning, Polynomial, Samples, decouple
from unbraid.cases import toy_samples
from unbraid.cli import main
from unbraid.sampling import uniform

CUBE = uniform(200, [-1] * 4, [1] * 4, random_state=1)


def product(p):
    return np.prod(p, axis=1)


def test_names_one_poor_output_among_many():
    def f(p):
        lines = [k * (p @ np.arange(1.0, 5)) for k in range(1, 16)]
        return np.column_stack([*lines, product(p)])

    d = unbraid.decouple(f, CUBE, n_branches=1, basis=Polynomial(3), n_starts=1, random_state=0)
    percent = f"{d.held_out_error[15]:.0f} %"
    assert d.solution.diagnosis.startswith(f"poor fit, error of f16 {percent}")
    assert f"at most {d.held_out_error[15]:.3g} %" in repr(d)
    assert f"misses f16 by {percent} of its spread" in str(d.describe())


def test_constant_outputs_do_not_hide_a_poor_fit(tmp_path):
    def f(p):
        return np.column_stack([*(np.full(len(p), k) for k in range(12)), product(p)])

    d = unbraid.decouple(f, CUBE, n_branches=1, basis=Polynomial(3), n_starts=1, random_state=0)
    assert d.held_out_error[-1] > 50
    assert d.solution.diagnosis.startswith("poor fit, ")
    page = unbraid.report(d, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "This is a poor approximation" in page


@pytest.mark.slow
@pytest.mark.parametrize("method", ["cpd", "implicit", "explicit"])
@pytest.mark.filterwarnings("ignore::unbraid.ConvergenceWarning", "ignore::unbraid.FitWarning")
def test_methods_of_the_paper_report_a_poor_fit(method):
    how = {"n_starts": 1, "max_iterations": 10, "held_out": 0.2, "random_state": 0}
    d = unbraid.decouple(product, CUBE[:100], n_branches=2, method=method, **how)
    assert d.solution.diagnosis.startswith("poor fit, ")


def make_product(rng):
    return lambda p: np.prod(p, axis=1)


def deep_network(rng, width=20, gain=2.5):
    sizes = [5, width, width, width, 2]
    layers = [gain / np.sqrt(a) * rng.standard_normal((a, b)) for a, b in pairwise(sizes)]

    def f(p):
        for layer in layers[:-1]:
            p = np.tanh(p @ layer)
        return p @ layers[-1]

    return f


def kinks(rng):
    A, b, B = rng.standard_normal((5, 20)), rng.standard_normal(20), rng.standard_normal((20, 2))
    return lambda p: np.maximum(p @ A + b, 0) @ B


def pure_noise(rng):
    return Samples(
        rng.uniform(-1, 1, (150, 5)),
        rng.standard_normal((150, 2)),
        rng.standard_normal((150, 2, 5)),
    )


def poor_answer(make, seed, n_branches=2, n_starts=2):
    rng = np.random.default_rng(seed)
    f = make(rng)
    points = None if isinstance(f, Samples) else rng.uniform(-1, 1, (150, 5))
    truth = None if isinstance(f, Samples) else f
    how = {"basis": Polynomial(3), "random_state": 0, "n_starts": n_starts}
    return decouple(f, points, n_branches, **how), truth, rng


@pytest.mark.filterwarnings("ignore::unbraid.errors.FitWarning")
@pytest.mark.parametrize("make", [make_product, deep_network, kinks, pure_noise])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=examples(1))
def test_reports_a_poor_fit_everywhere(make, seed, tmp_path_factory):
    d, f, rng = poor_answer(make, seed)
    assert np.mean(d.held_out_error) > 10
    assert re.match(r"poor fit, error \d+ %", d.solution.diagnosis)
    assert "Poor fit" in d.origin
    assert "the function misses the outputs by" in str(d.describe()).splitlines()[0]
    folder = tmp_path_factory.mktemp("poor")
    unbraid.report(d, folder / "report.html")
    assert "This is a poor approximation" in (folder / "report.html").read_text(encoding="utf-8")
    if f is not None:  # the held-out error is what fresh points have
        fresh = rng.uniform(-1, 1, (500, 5))
        found = np.mean(unbraid.relative_error(f(fresh).reshape(500, -1), d(fresh)))
        assert 0.5 * found < np.mean(d.held_out_error) < 2 * found


@pytest.mark.filterwarnings("ignore::unbraid.errors.FitWarning")
def test_command_shows_a_saved_poor_fit_as_poor(tmp_path, capsys):
    d, _, _ = poor_answer(make_product, 0)
    d.save(tmp_path / "poor.json")
    assert main(["show", str(tmp_path / "poor.json")]) == 0
    assert "a poor approximation" in capsys.readouterr().out
    again = unbraid.load(tmp_path / "poor.json").describe()
    assert again.caveat == str(again).splitlines()[0] == d.describe().caveat != ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (pure_noise, "gain little"),
        (deep_network, "gain little|max_branches = 4"),
    ],
)
@pytest.mark.filterwarnings("ignore::unbraid.errors.FitWarning")
def test_auto_stops_and_says_why(make, reason):
    rng = np.random.default_rng(1)
    f = make(rng)
    points = None if isinstance(f, Samples) else rng.uniform(-1, 1, (150, 5))
    d = decouple(f, points, "auto", max_branches=4, random_state=0, n_starts=2)
    assert re.search(reason, d.solution.diagnosis)
    assert d.solution.diagnosis.startswith("poor")
    assert [row.n_branches for row in d.solution.table] == list(range(len(d.solution.table)))


@pytest.mark.slow
def test_not_unique_is_not_called_identified():
    said = [poor_answer(make_product, seed, n_starts=4)[0].solution.diagnosis for seed in range(3)]
    assert any("not unique" in text for text in said)
    assert not any("not unique" in text and "are identified" in text for text in said)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["varpro", "implicit", "explicit", "cpd"])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=examples(1))
def test_unconverged_fit_says_so(method, seed, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unsettled")
    samples = toy_samples(60, random_state=seed)
    with pytest.warns(ConvergenceWarning, match="max_iterations"):
        d = decouple(
            samples, n_branches=2, method=method, random_state=0, n_starts=1, max_iterations=2
        )
    assert not d.solution.converged
    assert "while still improving" in repr(d.solution)
    d.save(folder / "d.json")
    back = unbraid.load(folder / "d.json")
    assert back.converged is False
    unbraid.report(back, folder / "report.html")
    assert "It has not converged" in (folder / "report.html").read_text(encoding="utf-8")


def test_converged_fit_does_not_say_otherwise():
    d = decouple(toy_samples(60, random_state=0), n_branches=3, n_starts=2, random_state=0)
    assert d.solution.converged
    assert d.converged is True
    assert d.describe().caveat == ""


def test_regression_on_noise_is_reported_as_poor():
    with pytest.warns(FitWarning, match="belong"):
        poor_answer(pure_noise, 3)
