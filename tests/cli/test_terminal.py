"""Plots of branches in a terminal."""

import re
import sys

import numpy as np
import pytest

from unbraid.bases import Polynomial
from unbraid.cli import _terminal
from unbraid.model._branch import Branch
from unbraid.model._branch_fit import fit_branch


def wave(estimate=None):
    z = np.linspace(-3.0, 3.0, 61)
    branch = fit_branch(Polynomial(7), z, np.sin(z))
    return Branch(branch.curve, "linear", estimate)


def test_plot_follows_the_curve():
    lines = _terminal.draw_branch(wave(), _terminal.Pen(braille=False), 41, 9)
    body = [line.split("|")[-1].split("+")[-1].ljust(41) for line in lines[:9]]
    crest, trough = (np.flatnonzero([c == "*" for c in body[k]]).mean() for k in (0, -1))
    assert crest == pytest.approx(20 + 20 * np.pi / 6, abs=1)  # of a sine, at pi / 2
    assert trough == pytest.approx(20 - 20 * np.pi / 6, abs=1)
    assert all(any(line[k] == "*" for line in body) for k in range(41))  # no gap
    assert lines[0].split()[0] == _terminal.number(max(wave()(np.linspace(-3, 3, 656))))
    assert lines[-1].split() == ["-3", "3"]


def test_plot_shows_data_points():
    marks = np.array([[-2.0, 1.0], [2.0, -1.0]])
    text = "\n".join(_terminal.draw_branch(wave(marks), _terminal.Pen(braille=False)))
    assert text.count(".") >= 2
    coloured = "".join(_terminal.draw_branch(wave(marks), _terminal.Pen(True, colour=True)))
    assert _terminal.CURVE_COLOUR in coloured
    assert _terminal.POINT_COLOUR in coloured
    bare = re.sub("\\033\\[\\d+m", "", coloured)
    assert bare == "".join(_terminal.draw_branch(wave(marks), _terminal.Pen(True, False)))


def test_plot_of_a_constant_branch_is_one_line():
    z = np.linspace(0.0, 1.0, 9)
    lines = _terminal.draw_branch(fit_branch(Polynomial(1), z, 0 * z), _terminal.Pen(False), 20, 5)
    assert sum("*" * 20 in line for line in lines) == 1


def test_pen_depends_on_encoding_and_terminal(monkeypatch):
    class Screen:
        encoding = "utf-8"

        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdout", Screen())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert _terminal.choose_pen(False) == _terminal.Pen(True, True)
    assert _terminal.choose_pen(True) == _terminal.Pen(False, True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not _terminal.choose_pen(False).colour
    Screen.encoding = "latin-1"
    assert not _terminal.choose_pen(False).braille
