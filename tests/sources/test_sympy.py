"""SymPy expressions."""

import numpy as np
import pytest

from sources.functions import check_against_differences
from unbraid import InvalidOptionError, InvalidSamplesError, SamplingError, sample
from unbraid.sources._sympy import SymbolicFunction

sympy = pytest.importorskip("sympy")


def test_differentiates_expressions():
    p10, p2, p1 = sympy.symbols("p10 p2 p1")
    points = np.random.default_rng(0).uniform(0.5, 1, (8, 3))
    expressions = [sympy.sin(p1 * p2) + p10, sympy.Integer(3), sympy.erf(p10) ** 2]
    expected = np.sin(points[:, 0] * points[:, 1]) + points[:, 2]
    for model in (expressions, tuple(expressions), sympy.Matrix(expressions)):
        samples = check_against_differences(model, points)
        assert samples.source == "exact, by sympy"
        np.testing.assert_allclose(samples.values[:, 0], expected)
        assert np.all(samples.values[:, 1] == 3)
    for symbols in ([p10, p2, p1], ["p10", "p2", "p1"]):
        reversed_ = sample(SymbolicFunction(expressions, symbols), points[:, ::-1])
        np.testing.assert_allclose(reversed_.jacobians[:, :, ::-1], samples.jacobians)
    assert sample(p1 * p2, points[:, :2]).n_outputs == 1
    turned = sample(sympy.Lambda((p2, p1), p1**2), points[:, :2])
    np.testing.assert_allclose(turned.jacobians[:, 0, 1], 2 * points[:, 1])


def test_rejects_bad_expressions():
    x, y = sympy.symbols("x y")
    with pytest.raises(InvalidSamplesError, match="2 symbols"):
        sample(x * y, np.ones((4, 3)))
    with pytest.raises(InvalidOptionError, match="lacks y"):
        SymbolicFunction(x * y, [x])
    with pytest.raises(InvalidOptionError, match="free symbols"):
        sample(sympy.Integer(2), np.ones((4, 1)))
    with pytest.raises(InvalidOptionError, match="x > 1"):
        sample([x > 1, y], np.ones((4, 2)))
    with pytest.raises(InvalidOptionError, match="Eq"):
        sample(sympy.Eq(x, y), np.ones((4, 2)))
    with pytest.raises(SamplingError, match="point 1, 3"):
        sample(sympy.log(x), np.array([[1.0], [-1.0], [2.0], [-3.0]]))


@pytest.mark.parametrize(
    ("symbols", "says"),
    [
        ("xy", "symbols is 'xy'"),
        (3, "symbols is 3"),
        (["x", "x", "y"], "twice"),
        (["x", 7], "7 is"),
    ],
)
def test_rejects_bad_symbols(symbols, says):
    x, y = sympy.symbols("x y")
    with pytest.raises(InvalidOptionError, match=says):
        SymbolicFunction([x * y], symbols)
