"""Tests of a validation as text, as HTML and as a figure."""

from __future__ import annotations

import numpy as np
import pytest

from unbraid.errors import InvalidOptionError
from unbraid.narx import fit_polynomial_narx


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    u = rng.standard_normal((400, 2))
    y = np.column_stack([u[:, 0], u.sum(axis=1)]) + 0.1 * rng.standard_normal((400, 2))
    names = {"input_names": ["pump", "valve"], "output_names": ["level", "flow"]}
    model = fit_polynomial_narx(u[:250], y[:250], (0,), (1,), 1, **names)
    return model.validate(u[250:], y[250:])


def test_text_is_a_table_and_verdicts(found):
    lines = str(found).splitlines()
    assert lines[0] == "Validation on 149 samples, after the first 1."
    assert "fit %" in lines[2]
    assert any(line.startswith("flow: 5 steps ahead") for line in lines)
    assert any("level can be white noise" in line for line in lines)
    assert any("flow are not correlated with past pump, valve" in line for line in lines)


def test_html_is_escaped_and_complete(found):
    html = found._repr_html_()
    assert "<table>" in html
    assert "level: simulation" in html


def test_figure_has_a_block_per_chosen_output(found, tmp_path):
    pytest.importorskip("matplotlib")
    whole = found.plot(tmp_path / "all.png")
    assert (tmp_path / "all.png").stat().st_size > 10_000
    one = found.plot(output="flow")
    assert len(whole.axes) == 2 * len(one.axes)
    titles = " ".join(panel.get_title() for panel in one.axes)
    assert "pump" in titles
    assert "valve" in titles
    with pytest.raises(InvalidOptionError, match="outputs"):
        found.plot(output="pressure")
