"""A poor answer says so, wherever it is looked at; what did not converge never looks converged."""

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


def product(rng):
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
@pytest.mark.parametrize("make", [product, deep_network, kinks, pure_noise])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=examples(1))
def test_what_does_not_decouple_is_said_to_be_poor(make, seed, tmp_path_factory):
    d, f, rng = poor_answer(make, seed)
    assert np.mean(d.held_out_error) > 10
    assert re.match(r"poor, \d+ % off", d.solution.diagnosis)
    assert "off" in d.origin
    assert str(d.describe()).startswith("a rough sketch: it misses the outputs by")
    folder = tmp_path_factory.mktemp("poor")
    unbraid.report(d, folder / "report.html")
    assert "This is a poor approximation" in (folder / "report.html").read_text(encoding="utf-8")
    if f is not None:  # the held-out error is what fresh points have
        fresh = rng.uniform(-1, 1, (500, 5))
        found = np.mean(unbraid.relative_error(f(fresh).reshape(500, -1), d(fresh)))
        assert 0.5 * found < np.mean(d.held_out_error) < 2 * found


@pytest.mark.filterwarnings("ignore::unbraid.errors.FitWarning")
def test_a_saved_poor_answer_is_shown_as_one(tmp_path, capsys):
    d, _, _ = poor_answer(product, 0)
    d.save(tmp_path / "poor.json")
    assert main(["show", str(tmp_path / "poor.json")]) == 0
    assert "a poor approximation" in capsys.readouterr().out
    assert str(unbraid.load(tmp_path / "poor.json").describe()).startswith("a rough sketch")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (pure_noise, "two more branches did not lower the held-out error"),
        (deep_network, "two more branches did not lower the held-out error|max_branches = 4"),
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
    assert [row.n_branches for row in d.solution.table] == list(range(1, len(d.solution.table) + 1))


@pytest.mark.slow
def test_answers_that_are_not_unique_are_not_called_identified():
    said = [poor_answer(product, seed, n_starts=4)[0].solution.diagnosis for seed in range(3)]
    assert any("not unique" in text for text in said)
    assert not any("not unique" in text and "are identified" in text for text in said)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["varpro", "implicit", "explicit", "cpd"])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=examples(1))
def test_what_did_not_converge_says_so(method, seed, tmp_path_factory):
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
    assert "It has not converged" in back.origin
    unbraid.report(back, folder / "report.html")
    assert "It has not converged" in (folder / "report.html").read_text(encoding="utf-8")


def test_what_converged_does_not_say_so():
    d = decouple(toy_samples(60, random_state=0), n_branches=3, n_starts=2, random_state=0)
    assert d.solution.converged
    assert "not converged" not in d.origin
    assert d.describe().caveat == ""


def test_noise_is_said_to_be_no_function():
    with pytest.warns(FitWarning, match="belong"):
        poor_answer(pure_noise, 3)
