"""Columns of tables and records."""

import numpy as np
import pytest

from cli_helpers import write_table
from unbraid import InvalidFileError
from unbraid.cli._tables import read_data_table, stack_columns


def test_finds_columns_by_usual_names(tmp_path):
    X, y = np.arange(12.0).reshape(6, 2), np.arange(6.0)
    np.savez(tmp_path / "a.npz", X=X.T, y=y)
    write_table(tmp_path / "b.csv", "y,x2,x1,J", [y, X[:, ::-1], y])
    for name, labels in (("a.npz", ["X1", "X2"]), ("b.csv", ["x1", "x2"])):
        table = read_data_table(tmp_path / name, None, None)
        assert (table.names, table.outputs) == (labels, ["y"])
        np.testing.assert_array_equal(table.X, X)
        np.testing.assert_array_equal(table.Y, y[:, None])


def test_rejects_columns_of_different_lengths(small_files):
    columns = {"a": np.ones(3), "b": np.ones(4)}
    with pytest.raises(InvalidFileError, match=r"\[3, 4\] rows"):
        stack_columns("d.csv", columns, ["a", "b"])


def test_rejects_nan_in_columns(small_files):
    columns = {"a": np.array([1.0, np.nan])}
    with pytest.raises(InvalidFileError, match="a holds"):
        stack_columns("d.csv", columns, ["a"])


def test_columns_of_jacobians_are_no_inputs(small_files):
    text = "p1,p2,f1,g,J11,J12\n1,2,3,4,5,6\n2,3,4,5,6,7\n"
    with open("d.csv", "w") as file:
        file.write(text)
    table = read_data_table("d.csv", ["g"], None)
    assert table.names == ["p1", "p2"]
    np.testing.assert_array_equal(table.X, [[1, 2], [2, 3]])


def test_a_letter_alone_comes_before_its_numbers(tmp_path):
    write_table(tmp_path / "d.csv", "y1,x1,x,y", np.arange(12.0).reshape(3, 4).T)
    table = read_data_table(tmp_path / "d.csv", None, None)
    assert (table.names, table.outputs) == (["x", "x1"], ["y", "y1"])


def test_columns_without_numbers_are_left_out_but_nan_is_refused(tmp_path, capsys):
    (tmp_path / "empty.csv").write_text("a,note,b\n1,,2\n3,,4\n")
    assert read_data_table(tmp_path / "empty.csv", ["b"], None).names == ["a"]
    assert "left out note" in "".join(capsys.readouterr())
    (tmp_path / "nan.csv").write_text("a,note,b\n1,nan,2\n3,nan,4\n")
    with pytest.raises(InvalidFileError, match="no number under 'note'"):
        read_data_table(tmp_path / "nan.csv", ["b"], None)


def test_a_missing_column_is_reported_with_similar_names(tmp_path):
    write_table(tmp_path / "d.csv", "speed,Force,other", np.ones((3, 3)))
    for name, similar in (("spede", "'speed'"), ("FORCE", "'Force'")):
        with pytest.raises(InvalidFileError, match=f"it has speed, Force, other; .* {similar}"):
            read_data_table(tmp_path / "d.csv", [name], ["other"])


def test_a_row_of_units_is_stated(tmp_path, capsys):
    (tmp_path / "d.csv").write_text("a,b\nm,N\n1,2\n3,4\n")
    np.testing.assert_array_equal(read_data_table(tmp_path / "d.csv", ["b"], None).X, [[1], [3]])
    assert "m, N, is taken as units" in capsys.readouterr().err
