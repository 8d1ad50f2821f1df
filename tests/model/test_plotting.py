"""Tests of plotting."""

import sys

import numpy as np
import pytest

import unbraid
from unbraid import MissingExtraError
from unbraid.model._branch_fit import fit_branch


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
    with pytest.raises(unbraid.InvalidFileError, match="cannot write"):
        d.plot(tmp_path / "no" / "folder.png")
    assert (tmp_path / "branches.png").stat().st_size > 10_000


def test_plot_without_matplotlib_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    branch = fit_branch(unbraid.Polynomial(1), np.arange(5.0), np.arange(5.0))
    with pytest.raises(MissingExtraError, match=r"unbraid\[plot\]"):
        unbraid.model._plotting.plot_branches([branch])
