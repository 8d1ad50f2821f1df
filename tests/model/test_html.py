"""Functions as HTML, for notebooks."""

from xml.etree import ElementTree

import numpy as np

import unbraid
from unbraid import DecoupledFunction
from unbraid.model._branch import Branch
from unbraid.model._curves import Expansion

POINTS = unbraid.sampling.uniform(80, [-1, -1], [1, 1], random_state=0)


def parse(text):
    """The elements of a piece of HTML, which is well-formed."""
    return ElementTree.fromstring(f"<div>{text}</div>")


def read_facts(text):
    rows = parse(text).iter("tr")
    return {row.find("th").text: row.find("td").text for row in rows}


def test_table_has_sizes_errors_and_status():
    d = unbraid.decouple(lambda p: p[:, 0] ** 2, POINTS, n_branches=1, random_state=0)
    text = d.named(["speed", "<b>"], ["force"])._repr_html_()
    facts = read_facts(text)
    assert facts["inputs"] == "2 (speed, <b>)"
    assert facts["outputs"] == "1 (force)"
    assert facts["branches"] == "1"
    assert facts["converged"] == facts["identified"] == "yes"
    assert facts["held-out error"].endswith(" %")
    assert "force is" in parse(text).find("pre").text
    assert "<b>" not in text


def test_functions_without_a_fit_have_a_table_alone():
    basis = unbraid.Polynomial(2).bind(np.linspace(-1, 1, 9))
    branch = Branch(Expansion(basis, np.ones(basis.n_functions)))
    d = DecoupledFunction(np.ones((1, 1)), np.ones((12, 1)), (branch,), np.zeros(1))
    facts = read_facts(d._repr_html_())
    assert facts["inputs"] == "12 (p1, p2, p3, p4, p5, p6, p7, p8 and 4 more)"
    assert facts["identified"] == "unknown"
    assert "fitted error" not in facts
    assert parse(d._repr_html_()).find("pre") is None
