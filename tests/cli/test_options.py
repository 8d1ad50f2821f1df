"""Parsers of option values."""

import pytest

import unbraid
from unbraid.cli import _options
from unbraid.cli._options import ParsedText


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (_options.parse_integers, "1:3", [1, 2, 3]),
        (_options.parse_integers, "1,2,4", [1, 2, 4]),
        (_options.parse_integers, "4:4,1", [4, 1]),
        (_options.BOX_TYPE.parse, "-1:1", [(-1.0, 1.0)]),
        (_options.BOX_TYPE.parse, "0:1,-2e3:2", [(0.0, 1.0), (-2000.0, 2.0)]),
        (_options.parse_basis, "spline:12", unbraid.BSpline(12)),
        (_options.parse_basis, "linear:8", unbraid.PiecewiseLinear(8)),
        (_options.parse_basis, "fourier:3", unbraid.Fourier(3)),
        (_options.parse_basis, "rbf:8", unbraid.RBF(8)),
        (
            _options.list_type("LIST", _options.parse_basis).parse,
            "auto,poly:2",
            ["auto", unbraid.Polynomial(2)],
        ),
        (_options.parse_branch_count, "auto", "auto"),
        (_options.parse_branch_count, "AUTO", "auto"),
        (_options.parse_branch_counts, "1:2,Auto", [1, 2, "auto"]),
        (_options.parse_branch_counts, "auto", ["auto"]),
        (_options.parse_branch_count, "7", 7),
    ],
)
def test_parses_option_values(read, text, value):
    assert read(text) == value


def test_converts_only_text():
    assert ParsedText("count", int).convert(3, None, None) == 3
    assert ParsedText("count", int).convert("3", None, None) == 3
