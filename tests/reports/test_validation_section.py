"""Tests of the validation on the page of a dynamic model."""

from __future__ import annotations

import re

import numpy as np
import pytest

import unbraid
from unbraid import Polynomial
from unbraid.narx import fit_polynomial_narx
from unbraid.reports._validation_section import validate_for_page
from unbraid.statespace import identify


def bent(size=600, seed=0):
    rng = np.random.default_rng(seed)
    u, y = rng.uniform(-1, 1, size), np.zeros(size)
    for t in range(1, size):
        y[t] = 0.5 * y[t - 1] + u[t - 1] + 0.4 * u[t - 1] ** 2 + 0.02 * rng.standard_normal()
    return u, y


@pytest.fixture(scope="module")
def narx():
    names = {"input_names": ["pump <V>"], "output_names": ["level"]}
    return fit_polynomial_narx(*bent(), (1,), (1,), 2, **names).decouple(2, random_state=0)


def section(page):
    found = re.search(r"<h3>Validation</h3>.*?</details>", page, re.DOTALL)
    return None if found is None else found.group()


def write(model, path, **options):
    return unbraid.report(model, path / "page.html", **options).read_text()


def test_page_of_a_narx_model_shows_the_validation(narx, tmp_path):
    found = section(write(narx, tmp_path, data=bent(seed=1)))
    for text in ("10 steps ahead", "linear model", "can be white noise", "range of the training"):
        assert text in found
    assert found.count("<svg") == 3
    assert "pump &lt;V&gt;" in found
    assert "limits" in found


def test_page_of_a_state_space_model_shows_the_validation(tmp_path):
    model = identify(*bent(), 1, 1, Polynomial(2), n_starts=1, random_state=0)
    found = section(write(model, tmp_path, data=bent(seed=1)))
    assert "no noise model" in found
    assert "linear model, 1 state" in found


def test_page_without_data_has_no_validation(narx, tmp_path):
    assert section(write(narx, tmp_path)) is None


def test_page_of_a_short_record_has_no_validation(narx, tmp_path):
    u, y = bent()
    assert validate_for_page(narx, narx.records(u[:5], y[:5]), 1) is None
    assert section(write(narx, tmp_path, data=(u[:5], y[:5]))) is None


def test_page_of_a_diverging_model_says_so(narx, tmp_path):
    u, y = bent(seed=1)
    found = section(write(narx, tmp_path, data=(1e4 * u, y)))
    assert "diverges at sample" in found
    assert "nan" not in re.sub(r"<[^>]*>", "", found).lower()
