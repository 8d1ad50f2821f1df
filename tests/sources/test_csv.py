"""Samples in tables of text: names of columns, and tables that are refused."""

import numpy as np
import pytest

from sources.data_files import F, J, P, check, write_csv
from unbraid import InvalidFileError, sample
from unbraid.sources import read_samples

TABLE = np.column_stack([P, F, J.reshape(len(J), -1)])


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize(
    "names",
    [
        ["p1", "p2", "f1", "f2", "J11", "J12", "J21", "J22"],
        ["x0", "x1", "y0", "y1", "J0_0", "J0_1", "J1_0", "J1_1"],
        ["P_1", "P_2", "F_1", "F_2", "df1/dp1", "df1/dp2", "df2/dp1", "df2/dp2"],
        ["u1", "u2", "y1", "y2", "dy1_du1", "dy1_du2", "dy2_du1", "dy2_du2"],
    ],
)
def test_reads_columns_with_common_names(tmp_path, names, separator):
    order = np.random.default_rng(0).permutation(8)
    shuffled = [names[k] for k in order]
    check(sample(write_csv(tmp_path / "data.csv", shuffled, TABLE[:, order], separator)))


def test_sorts_columns_by_their_numbers(tmp_path):
    names = ["p10", "p2", "f", "df/dp10", "df/dp2"]
    table = np.arange(20.0).reshape(4, 5)
    samples = sample(write_csv(tmp_path / "data.csv", names, table))
    np.testing.assert_array_equal(samples.points, table[:, [1, 0]])
    np.testing.assert_array_equal(samples.jacobians[:, 0], table[:, [4, 3]])


def test_reads_columns_with_given_names(tmp_path):
    names = list("abcdefgh")
    path = write_csv(tmp_path / "data.csv", names, TABLE)
    check(read_samples(path, list("ab"), list("cd"), list("efgh")))
    with pytest.raises(InvalidFileError, match="3 columns"):
        read_samples(path, list("ab"), list("cd"), list("efg"))
    with pytest.raises(InvalidFileError, match="column 'z'"):
        read_samples(path, ["a", "z"], list("cd"), list("efgh"))
    with pytest.raises(InvalidFileError, match="p1, x1"):
        sample(path)


def test_reads_some_outputs_of_a_table(tmp_path):
    names = ["p1", "p2", "f1", "f2", "J11", "J12", "J21", "J22"]
    path = write_csv(tmp_path / "data.csv", names, TABLE)
    second = read_samples(path, values="f2")
    np.testing.assert_array_equal(second.values, F[:, 1:])
    np.testing.assert_array_equal(second.jacobians, J[:, 1:])
    with pytest.raises(InvalidFileError, match="are J12"):
        read_samples(path, points="p1", values="f1")
    with pytest.raises(InvalidFileError, match="of f2, p1"):
        read_samples(path, points=["f2", "p1"], values="f1")
    own = write_csv(tmp_path / "own.csv", ["p1", "p2", "force", "torque", *names[4:]], TABLE)
    check(read_samples(own, values=["force", "torque"]))
    with pytest.raises(InvalidFileError, match="are J21, J22"):
        read_samples(own, values="torque")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("p1,f1,J11\n", "no numbers"),
        ("1,2,3\n4,5,6\n", "first row"),
        ("p1,f1,J11\n1,2\n", "2 cells"),
        # the whole message, as an example of good wording
        ("p1,f1,J11\n1,2,3\n1,2,abc\n", "bad.csv, line 3: 'abc' under 'J11' is not a number$"),
        ("p1,f1,J11\n1,2,3\n\n1,2,nan\n1,2,\n", "line 4"),
        ("p1,f1,J11\n1,2,inf\n", "1 NaN"),
        ("p1,f1\n1,2\n", "DecoupledRegressor"),
        ("p1,p2,f1,J11\n1,2,3,4\n", "J1_2"),
        ("p1,g1,J11\n1,2,3\n", "of values"),
        (b"\xff\xfe\x00\x01", "no numbers"),
        (b"p1,\xe4\n1,2\n", "UTF-8"),
        (b"PK\x03\x04\x00\x00", "text file"),
        ('p1,f1,J11\n1,2,"3\n1,2,3\n', "line 3"),
        ("p1,p1,f1,J11\n1,1,2,3\n", "column 'p1'"),
        ("p1,f1,J11,J12\n1,2,3,4\n", "are J12"),
    ],
)
def test_rejects_bad_tables(tmp_path, text, message):
    path = tmp_path / "bad.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InvalidFileError, match=message) as caught:
        sample(path)
    assert "bad.csv" in str(caught.value)
