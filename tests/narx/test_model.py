"""NARX models as HTML, for notebooks."""

from narx.systems import cubic_system
from unbraid.narx import fit_polynomial_narx


def test_table_has_lags_and_the_branches_of_the_lagged_signals():
    coupled = fit_polynomial_narx(*cubic_system(noise=0.01), (0, 1), (1, 2), 3)
    assert "<th>output lags</th><td>(1, 2)</td>" in coupled._repr_html_()
    assert "DecoupledFunction" not in coupled._repr_html_()
    text = coupled.decouple(2, random_state=0)._repr_html_()
    assert "4 (u(t), u(t-1), y(t-1), y(t-2))" in text
    assert "<pre" in text
