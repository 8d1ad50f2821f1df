"""Tables of text as programs write them."""

import numpy as np
import pytest

from sources.data_files import write_csv
from unbraid import InvalidFileError, read_samples, sample
from unbraid.sources._text import read_table

DIALECTS = [
    "p1,p2,f1,J11,J12\n1.5,2,3,4,5\n-1,0,1,2,3e-1\n",
    "\ufeffp1,p2,f1,J11,J12\r\n1.5,2,3,4,5\r\n\r\n-1,0,1,2,0.3\r\n",
    '"p1","p2","f1","J11","J12"\n"1.5","2","3","4","5"\n-1,0,1,2,0.3\n',
    "# a remark, or two\n#\np1,p2,f1,J11,J12\n1.5,2,3,4,5\n-1,0,1,2,0.3\n",
    "# p1,p2,f1,J11,J12\n1.5,2,3,4,5\n-1,0,1,2,0.3\n",  # as numpy.savetxt writes it
    "p1;p2;f1;J11;J12\n1,5;2;3;4;5\n-1;0;1;2;0,3\n",
    "p1;p2;f1;J11;J12;note\n1,5;2.0;3;4;5;a, b\n-1;0;1;2;0,3;c\n",
    "p1\tp2\tf1\tJ11\tJ12\n1.5\t2\t3\t4\t5\n-1\t0\t1\t2\t0.3\n",
    "  p1   p2 f1  J11 J12\n 1.5    2  3    4   5 \n  -1    0  1    2 0.3\n",
    ",p1,p2,f1,J11,J12\n0,1.5,2,3,4,5\n1,-1,0,1,2,0.3\n",  # as pandas writes it
    'day,p1,p2,f1,"J11","J1,2",who\n1 May,1.5,2,3,4,5,"a, b"\n,-1,0,1,2,0.3,\n,,,,,,\n',
    "p1,p2,f1,J11,J12,\n1.5,2,3,4,5,\n-1,0,1,2,0.3,\n",
]


@pytest.mark.parametrize("text", DIALECTS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_reads_tables_as_programs_write_them(tmp_path, text, encoding):
    path = tmp_path / "data.csv"
    path.write_bytes(text.removeprefix("\ufeff" if encoding == "utf-16" else "").encode(encoding))
    samples = sample(path)
    np.testing.assert_array_equal(samples.points, [[1.5, 2], [-1, 0]])
    np.testing.assert_array_equal(samples.values, [[3], [1]])
    np.testing.assert_array_equal(samples.jacobians, [[[4, 5]], [[2, 0.3]]])


def test_plain_and_quoted_tables_agree(tmp_path):
    table = np.random.default_rng(0).normal(size=(200, 3))
    plain = write_csv(tmp_path / "a.csv", ["p1", "f1", "J11"], table)
    text = plain.read_text().replace(",", '","').replace("\n", '"\n"')
    (tmp_path / "b.csv").write_text(f'"{text[:-1]}')
    one, other = (sample(tmp_path / name) for name in ("a.csv", "b.csv"))
    np.testing.assert_array_equal(one.points, other.points)
    np.testing.assert_array_equal(one.jacobians, other.jacobians)


def test_accepts_numbers_as_names_of_columns(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("0,1,2\n1,2,3\n4,5,6\n")
    samples = read_samples(path, points=["0"], values=["1"], jacobians=["2"])
    np.testing.assert_array_equal(samples.points, [[1], [4]])
    np.testing.assert_array_equal(samples.jacobians, [[[3]], [[6]]])


LONG = "9" * 140_000  # more than Python's reader of tables takes for a cell


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f'p1,p2,"{LONG}"\n1,2,3\n', "begin"),
        (f'p1,f1,J11\n1,2,3\n1,2,"{LONG}\n', "quote"),
    ],
)
def test_rejects_cells_beyond_the_limit(tmp_path, text, says):
    path = tmp_path / "data.csv"
    path.write_text(text)
    with pytest.raises(InvalidFileError, match=says):
        read_samples(path)


DIALECTS_OF_RECORDS = {
    "units row": "t,u,y\ns,V,[cm]\n0,1.5,2\n1,-1,0\n",
    "units with a dash": "t,u,y\ns,-,cm\n0,1.5,2\n1,-1,0\n",
    "German with units": "t;u;y\ns;V;cm\n0;1,5;2\n1;-1;0\n",
    "tabs and decimal commas": "t\tu\ty\n0\t1,5\t2\n1\t-1\t0\n",
}


@pytest.mark.parametrize("text", DIALECTS_OF_RECORDS.values(), ids=DIALECTS_OF_RECORDS)
def test_reads_units_rows_and_decimal_commas(tmp_path, text):
    table = read_table(tmp_path / "data.csv", text.encode())
    np.testing.assert_array_equal(table["u"], [1.5, -1])
    assert table.lines[-1] == len(text.splitlines())


def test_a_row_of_text_above_text_is_no_row_of_units(tmp_path):
    table = read_table(tmp_path / "data.csv", b"who,u\nalice,NA\nbob,2\n")
    assert table.units is None
    assert table.read_text("who") == ["alice", "bob"]


def test_dates_are_read_as_text(tmp_path):
    text = "t,u\nISO,V\n2024-05-01T12:00,1\n2024-05-01T12:01,2\n"
    table = read_table(tmp_path / "data.csv", text.encode())
    assert table.units == ["ISO", "V"]
    assert table.read_text("t") == ["2024-05-01T12:00", "2024-05-01T12:01"]
    np.testing.assert_array_equal(table["u"], [1, 2])
