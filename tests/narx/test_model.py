"""NARX models in notebooks and terminals."""

from narx.systems import cubic_system
from unbraid.narx import fit_polynomial_narx


def test_table_has_lags_and_the_branches_of_the_lagged_signals():
    coupled = fit_polynomial_narx(*cubic_system(noise=0.01), (0, 1), (1, 2), 3)
    assert "<th>output lags</th><td>(1, 2)</td>" in coupled._repr_html_()
    assert "DecoupledFunction" not in coupled._repr_html_()
    text = coupled.decouple(2, random_state=0)._repr_html_()
    assert "4 (u(t), u(t-1), y(t-1), y(t-2))" in text
    assert "<pre" in text


def test_long_calls_show_their_progress(capsys):
    u, y = cubic_system(200, noise=0.01)
    coupled = fit_polynomial_narx(u, y, (0, 1), (1, 2), 3, progress=True)
    assert "Identifying: regression, 0 s" in capsys.readouterr().err
    model = coupled.decouple(2, random_state=0, progress=True)
    assert "Decoupling: 2 branches, " in capsys.readouterr().err
    model.refine(u, y, progress=True)
    assert "Refining: 2 branches, step 0, error " in capsys.readouterr().err
    coupled.decouple(2, random_state=0).refine(u, y)
    assert capsys.readouterr().err == ""
