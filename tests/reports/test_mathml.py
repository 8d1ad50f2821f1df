"""Formulas as MathML."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import unbraid
from unbraid.bases import Polynomial
from unbraid.reports import report
from unbraid.reports._mathml import parse_formula


def test_formula_shows_the_coefficients(toy, toy_page):
    source = toy_page.read_text(encoding="utf-8")
    math = ElementTree.fromstring(re.search(r"<math.*?</math>", source, re.S)[0])
    lines = ["".join(row.itertext()) for row in math.iter("mtr")]
    assert len(lines) == 2 + 3 + 3
    constant, rest = toy.branches[0].curve.basis.monomials(toy.branches[0].curve.coefficients)
    assert lines[5].startswith(f"g1(s)={rest[2]:.4g}s3")
    assert lines[5].endswith(f"{constant:.4g}".replace("-", "−"))
    assert lines[2] == "s1=0.9487p1+0.3162p2"
    assert page_latex(source).startswith("\\begin{aligned}\nf_{1} &= ")
    assert "\ns_{1} &= 0.9487\\,p_{1}" in page_latex(source)


def test_z_is_the_standardised_direction_everywhere(toy, toy_page):
    source = toy_page.read_text(encoding="utf-8")
    formula = source[source.index("Formula</h3>") : source.index("as stored</h3>")]
    assert "<mi>z</mi>" not in formula
    assert "z_{" not in page_latex(source)
    assert "in the units of the inputs" in formula
    stored = source[source.index("as stored</h3>") : source.index("Errors</h3>")]
    assert not re.search("z[₀-₉]", stored)
    directions = {f"z{d + 1} = {part.text}" for d, part in enumerate(toy.describe().directions)}
    assert all(text in source[: source.index("as stored</h3>")] for text in directions)


def page_latex(source):
    return re.search(r'class="latex".*?<code>(.*?)</code>', source, re.S)[1].replace("&amp;", "&")


@pytest.mark.parametrize(
    "text",
    [
        "2 z^2 - 15.1",
        "-3 tanh(0.5 (z - 2)) + 1",
        "1.5 exp(-(3 (z + 1))^2)",
        "z + 2 max(0, z - 0.3)",
    ],
)
def test_parsed_shapes_keep_their_text(text):
    row = ElementTree.fromstring(parse_formula(text))
    assert "".join(row.itertext()) == text.replace(" ", "").replace("^", "").replace("-", "−")
    assert len(list(row.iter("msup"))) == text.count("^")


def test_range_far_from_zero_is_written_about_its_middle(tmp_path):
    points = 1e6 + np.linspace(-1, 1, 50)[:, None]
    d = unbraid.decouple(
        lambda p: (p - 1e6) ** 2, points, n_branches=1, basis=Polynomial(2), random_state=0
    )
    page = report(d, tmp_path / "far.html").read_text(encoding="utf-8")
    math = ElementTree.fromstring(re.search(r"<math.*?</math>", page, re.S)[0])
    assert "(s−106)2" in "".join(math.itertext())
