"""Tests of tables with named columns."""

import numpy as np
import pytest

from unbraid import InvalidSamplesError
from unbraid._util.tables import check_same_names, column_names, list_names, match_columns

pandas = pytest.importorskip("pandas")
TABLE = pandas.DataFrame({"load": [1.0, 2.0], "angle": [3.0, 4.0], "speed": [5.0, 6.0]})


def test_columns_are_reordered_and_others_left_out():
    matched = match_columns(TABLE, ("speed", "load"))
    np.testing.assert_array_equal(matched, [[5, 1], [6, 2]])
    assert match_columns(TABLE, ("load", "angle", "speed")) is TABLE


def test_tables_without_names_keep_their_order():
    plain = TABLE.to_numpy()
    numbered = pandas.DataFrame(plain)
    for table in (plain, numbered, plain.tolist()):
        assert match_columns(table, ("a", "b", "c")) is table
        assert column_names(table) is None
    assert match_columns(TABLE, None) is TABLE


def test_missing_unknown_and_repeated_columns_are_refused():
    with pytest.raises(InvalidSamplesError, match="u has no column 'mass': its columns are 'load'"):
        match_columns(TABLE, ("speed", "mass"), "u")
    with pytest.raises(InvalidSamplesError, match="no column 'x', 'y'"):
        match_columns(TABLE, ("x", "y"))
    twice = pandas.concat([TABLE, TABLE[["load"]]], axis=1)
    with pytest.raises(InvalidSamplesError, match="'load' more than once"):
        match_columns(twice, ("load", "speed"))
    assert match_columns(twice, ("angle", "speed")).shape == (2, 2)
    assert column_names(twice) is None


def test_same_names_are_compared_where_both_are_known():
    check_same_names("samples", None, ("a", "b"))
    check_same_names("samples", ("a", "b"), ["a", "b"])
    with pytest.raises(InvalidSamplesError, match="samples has the inputs 'b', 'a'"):
        check_same_names("samples", ("b", "a"), ("a", "b"))


def test_long_lists_of_names_are_cut():
    assert list_names([f"x{k}" for k in range(20)]).endswith("'x11', ... (20 in all)")
