"""Tests of shapes."""

from __future__ import annotations

import numpy as np
import pytest

import unbraid
from unbraid.model._labels import ShapeLabel, phrase_label
from unbraid.model._shapes import nearest_curved_shape, nearest_shape

Z = np.random.default_rng(0).uniform(-2, 3, 400)


SHAPES = {
    "linear": lambda z: 3 * z + 1,
    "quadratic": lambda z: z**2 - z,
    "cubic": lambda z: z**3 - 2 * z,
    "exponential": lambda z: 2 * np.exp(-1.5 * z) + 1,
    "saturating": lambda z: 3 * np.tanh(2 * (z - 0.5)) + 1,
    "a bump": lambda z: np.exp(-2 * z**2),
    "a kink": lambda z: np.abs(z - 0.2),
    "periodic": lambda z: np.sin(4 * z + 1),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_shapes_are_recognised_in_any_units(name, scale):
    shape = nearest_shape(Z * scale, 10 * SHAPES[name](Z) * scale)
    assert shape.name == shape.words == name
    assert shape.r2 > 0.9999


@pytest.mark.parametrize("name", SHAPES)
def test_formula_evaluates_to_the_curve(name):
    sympy = pytest.importorskip("sympy")
    from sympy.parsing import sympy_parser as parser

    g = SHAPES[name](Z)
    text = nearest_shape(Z, g).formula.replace("^", "**")
    rules = (*parser.standard_transformations, parser.implicit_multiplication)
    formula = parser.parse_expr(text, {"max": sympy.Max}, transformations=rules)
    value = sympy.lambdify("z", formula, "numpy")(Z)
    np.testing.assert_allclose(value, g, atol=0.03 * np.ptp(g))


def test_noise_has_no_simple_shape():
    shape = nearest_shape(Z, np.random.default_rng(1).normal(size=Z.size))
    assert shape.words == "no simple shape"


def test_names_the_nearest_shape():
    noise = np.random.default_rng(2).normal(size=Z.size)
    assert nearest_shape(Z, Z + 0.3 * noise).words.startswith("roughly")


@pytest.mark.parametrize("value", [0.0, 2.0])
def test_a_constant_is_linear(value):
    assert nearest_shape(Z, np.full(Z.size, value)).formula == f"{value:g}"


def test_slight_bend_of_an_estimated_curve_is_nearly_linear():
    z = np.linspace(-2, 2, 200)
    bent = z + 0.05 * z**2
    assert nearest_shape(z, bent).name == "quadratic"
    shape = nearest_shape(z, bent + 0.005 * np.sin(9 * z))
    assert shape.name == "linear"
    assert ShapeLabel(shape) == "nearly linear"
    assert phrase_label(ShapeLabel(shape)) == "a nearly linear function of"


def test_formula_of_an_exponential_far_from_zero():
    points = np.random.default_rng(0).uniform(1000, 1001, (300, 1))
    d = unbraid.decouple(lambda p: np.exp(3 * (p - 1000.5)), points, n_branches=1, random_state=0)
    z = np.linspace(*d.branches[0].interval, 101)
    assert "exp(3 (z - 1000." in nearest_shape(z, d.branches[0](z)).formula
    assert d.describe().directions[0].labels["f"] == "exponential"


def test_multiplied_shape_has_the_same_formula_times_the_factor():
    shape = nearest_shape(Z, np.tanh(2 * Z))
    assert shape.times(-3.0).formula == nearest_shape(Z, -3 * np.tanh(2 * Z)).formula
    assert shape.times(-3.0).r2 == shape.r2


@pytest.mark.parametrize("rate", [9.0, -20.0])
def test_steep_exponential_is_not_called_saturating(rate):
    z = np.random.default_rng(0).uniform(-1, 1, 300)
    shape = nearest_shape(z, np.exp(rate * z))
    assert shape.name == "exponential"
    assert f"exp({rate:g} z)" in shape.formula


POWERS = {
    "a power": (np.sqrt, lambda z: 1 / (z + 0.2), lambda z: z**1.5),
    "logarithmic": (lambda z: np.log(z + 0.1),),
    "saturating": (np.tanh,),
    "exponential": (np.exp,),
}


@pytest.mark.parametrize(("name", "g"), [(name, g) for name in POWERS for g in POWERS[name]])
def test_shapes_of_positive_z_are_told_apart(name, g):
    z = np.random.default_rng(0).uniform(0, 3, 300)
    assert nearest_shape(z, g(z)).words == name


def test_shape_that_misses_the_ends_is_withheld():
    z = np.linspace(0, 1, 200)
    g = np.tanh(3 * z) + 0.4 * np.maximum(0, z - 0.85) ** 0.5
    shape = nearest_shape(z, g)
    assert shape.words == "no simple shape" or shape.r2 > 0.99


CURVED = {
    "quadratic": lambda z: z**2,
    "cubic": lambda z: z**3,
    "exponential": lambda z: np.exp(-1.5 * z),
    "saturating": lambda z: np.tanh(2 * (z - 0.5)),
    "a bump": lambda z: np.exp(-2 * z**2),
    "a kink": lambda z: np.maximum(0, z - 0.2),
    "periodic": lambda z: np.sin(4 * z),
    "signed quadratic": lambda z: z * np.abs(z),
}


@pytest.mark.parametrize("name", CURVED)
def test_curved_shapes_are_recognised_beside_any_line(name):
    found = [nearest_curved_shape(Z, CURVED[name](Z) + slope * Z + 3) for slope in (-5.0, 0.0)]
    assert [shape.name for shape in found] == [name] * 2
    assert found[0].formula == found[1].formula
    assert found[0].r2 > 0.9999


def test_limiter_and_dead_zone_are_saturating_beside_a_line():
    limiter = np.clip(Z, -0.5, 1.0)
    shapes = [nearest_curved_shape(Z, curve) for curve in (limiter, Z - limiter)]
    assert [shape.name for shape in shapes] == ["saturating"] * 2
    assert shapes[0].formula == "0.75 clip(1.33 (z - 0.25), -1, 1)"
    assert nearest_curved_shape(Z, 3 * Z + 1).name == "linear"
