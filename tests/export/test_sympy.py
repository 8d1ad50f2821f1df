"""The SymPy export."""

import numpy as np
import pytest

from export_helpers import FUNCTIONS, assert_agrees, every_case, make_function, sample_points
from unbraid import Polynomial
from unbraid.export import to_sympy


@every_case
def test_values_agree(case):
    sympy = pytest.importorskip("sympy")
    d = FUNCTIONS[case]
    p = sample_points(d)
    expressions = to_sympy(d)
    symbols = [sympy.Symbol(f"p{l + 1}") for l in range(d.n_inputs)]
    assert set().union(*(e.free_symbols for e in expressions)) == set(symbols)
    values = sympy.lambdify(symbols, expressions, "numpy", cse=True)(*p.T)
    assert_agrees(np.stack(values, axis=1), d(p))


def test_derivatives_agree():
    sympy = pytest.importorskip("sympy")
    d = FUNCTIONS["ninth_linear"]
    p = sample_points(d)[:40]
    (first, _), symbols = to_sympy(d, names=["a", "b", "c"]), sympy.symbols("a b c")
    slopes = [sympy.lambdify(symbols, first.diff(s), "numpy", cse=True)(*p.T) for s in symbols]
    assert_agrees(np.stack(slopes, axis=1), d.jacobian(p)[:, 0], 1e-11)


def test_rounds_to_digits():
    pytest.importorskip("sympy")
    d = make_function([Polynomial(2)], "basis", 1, 1)
    (expression,) = to_sympy(d, digits=2)
    assert all(
        len(str(number).lstrip("-0.").replace(".", "")) <= 2
        for number in expression.atoms()
        if number.is_Float
    )
