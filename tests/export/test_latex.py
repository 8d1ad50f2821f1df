"""The LaTeX export."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import unbraid
from branch_examples import polynomial_branch, sum_of_branches
from export_helpers import make_function
from unbraid import RBF, Fourier, PiecewiseLinear, Polynomial
from unbraid.export import to_latex
from unbraid.model._branch import Branch
from unbraid.model._curves import Nonparametric
from unbraid.sampling import uniform


def test_equations_are_complete_and_balanced():
    d = make_function([Polynomial(2), PiecewiseLinear(4), Fourier(1), RBF(2)], "basis")
    text = to_latex(d, names=["u", "y1", "speed_50%"])
    lines = text.splitlines()
    assert lines[0] == r"\begin{aligned}"
    assert lines[-1] == r"\end{aligned}"
    assert text.count("{") == text.count("}")
    assert r"\text{speed\_50\%}" in text
    assert r"\,y_{1}" in text
    starts = [line.partition(" &=")[0] for line in lines if " &=" in line]
    z = [f"z_{{{i}}}" for i in range(1, 5)]
    g = [f"g_{{{i}}}(z_{{{i}}})" for i in range(1, 5)]
    assert starts == ["f_{1}", "f_{2}", *z, g[0], g[1], "t_{3}", g[2], "t_{4}", g[3]]
    assert text.count(r"\begin{cases}") == 1
    assert "e-" not in text


def test_small_numbers_are_powers_of_ten():
    d = replace(
        make_function([Polynomial(1)], "basis", 1, 1), W=np.array([[-1.0]]), V=np.ones((1, 1))
    )
    text = to_latex(replace(d, offset=np.array([1.23456e-7])))
    assert "f_{1} &= -g_{1}(z_{1}) + 1.23 \\cdot 10^{-7} \\\\\nz_{1} &= p_{1} \\\\" in text


Z = np.linspace(-1, 1, 41)


def test_latex_of_a_branch_without_extrapolation():
    text = to_latex(sum_of_branches(polynomial_branch(2.0, extrapolate="nan")))
    assert r"-1 \le z_{1} \le 1" in text
    assert r"\text{undefined} & \text{elsewhere}" in text


def test_latex_of_pieces_that_read_alike():
    level = Nonparametric(Z, np.full(Z.size, 3.0), np.zeros(Z.size))
    text = to_latex(sum_of_branches(Branch(level, "basis")))
    assert "g_{1}(z_{1}) &= 3\n" in text


@pytest.mark.parametrize("far", [1e4, 1e6])
def test_latex_far_from_the_origin_has_enough_digits(far):
    d = unbraid.decouple(
        lambda p: np.tanh(p[:, :1] - far),
        uniform(60, [far - 1], [far + 1], random_state=0),
        n_branches=1,
        basis=Polynomial(5),
        extrapolate="basis",
        random_state=0,
    )
    text = unbraid.export.to_latex(d)
    assert f"z_{{1}} - {far:.0f}" in text.replace(".0)", ")")
    assert "10^{" not in text.partition("g_{1}(z_{1}) &=")[2].replace("10^{-", "")
