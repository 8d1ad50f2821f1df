"""Records in files: columns, times, gaps, several records."""

import numpy as np
import pytest

from cli_helpers import write_table
from unbraid.cli._record_files import RecordColumns, read_record_file
from unbraid.errors import InvalidFileError, InvalidSamplesError

T = 0.5 * np.arange(40)
U, Y = np.sin(T), np.cos(T)
TANK = RecordColumns(["pump"], ["level"], time="t")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "d.csv"


def write(path, t=T, u=U, y=Y):
    write_table(path, "t,pump,level", [t, u, y])
    return path


def test_one_record_with_names_and_sampling_time(path):
    file = read_record_file(write(path), TANK)
    assert (file.names, file.output_names) == (("pump",), ("level",))
    assert file.sampling_time == pytest.approx(0.5)
    np.testing.assert_allclose(file.u, U)
    assert not file.notices


def test_usual_names_are_found_and_outputs_may_be_missing(path):
    write_table(path, "u2,u1,t", [U, Y, T])
    file = read_record_file(path, RecordColumns(sampling_time=0.1), needs_outputs=False)
    assert (file.names, file.outputs, file.sampling_time) == (("u1", "u2"), None, 0.1)
    assert file.u.shape == (40, 2)
    with pytest.raises(InvalidFileError, match="--y NAME"):
        read_record_file(path, RecordColumns())


def test_outputs_in_rows_are_transposed(tmp_path):
    np.savez(tmp_path / "wide.npz", u=U, y=np.stack([Y, 2 * Y]))
    file = read_record_file(tmp_path / "wide.npz", RecordColumns())
    assert file.u.shape == (40,)
    np.testing.assert_array_equal(file.y, np.stack([Y, 2 * Y], axis=1))
    assert file.output_names == ("y1", "y2")


def test_gaps_split_the_record_and_are_stated(path):
    kept = np.delete(np.arange(40), [20, 21])
    file = read_record_file(write(path, T[kept], U[kept], Y[kept]), TANK)
    assert [len(u) for u in file.u] == [20, 18]
    np.testing.assert_allclose(file.times[1], T[22:])
    assert "2 missing samples after 9.5 s" in file.notices[0]


def test_times_that_restart_begin_a_new_record(path):
    write(path, np.r_[T, T], np.r_[U, U], np.r_[Y, Y])
    file = read_record_file(path, TANK)
    assert (len(file.y), file.labels) == (2, ["1", "2"])
    assert "starts again after row 40" in file.notices[0]


def test_short_records_among_others_are_left_out_and_stated(path):
    kept = np.delete(np.arange(40), [5, 10])
    file = read_record_file(write(path, T[kept], U[kept], Y[kept]), TANK)
    assert [len(u) for u in file.inputs] == [29]
    assert "2 records of fewer than 10 samples left out" in file.notices[-1]


def test_a_column_names_the_records(path):
    text = ["run,t,u,y", *(f"{'ab'[k // 20]},{T[k % 20]},{U[k]},{Y[k]}" for k in range(40))]
    path.write_text("\n".join(text))
    file = read_record_file(path, RecordColumns(time="t", record="run"))
    assert (file.labels, len(file.u), file.notices) == (["a", "b"], 2, [])
    path.write_text("\n".join([*text, "a,0,1,2"]))
    with pytest.raises(InvalidFileError, match=r"record 'a'.*sort"):
        read_record_file(path, RecordColumns(record="run"))


def test_records_of_different_sampling_times_are_refused(path):
    write_table(
        path, "run,t,u,y", [np.repeat([1, 2], 40), np.r_[T, 2 * T], np.r_[U, U], np.r_[Y, Y]]
    )
    with pytest.raises(InvalidFileError, match="record 2 has a sampling time of 1 s"):
        read_record_file(path, RecordColumns(time="t", record="run"))


def test_spreadsheets_of_other_countries_are_read(path):
    rows = [f"{t};{u};{y}".replace(".", ",") for t, u, y in zip(T, U, Y, strict=True)]
    path.write_bytes("\n".join(["\ufefft;pump;level", "s;V;cm", *rows, "", ""]).encode())
    file = read_record_file(path, TANK)
    np.testing.assert_allclose(file.u, U)
    assert file.sampling_time == pytest.approx(0.5)


def test_times_may_be_dates(path):
    rows = [f"2024-05-01T12:00:{k:02d},{U[k]},{Y[k]}" for k in range(40)]
    path.write_text("\n".join(["t,pump,level", *rows]))
    file = read_record_file(path, TANK)
    assert file.sampling_time == pytest.approx(1.0)
    assert file.stamps[0][-1] == "2024-05-01T12:00:39"


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (T**2, "t is not uniformly sampled: its steps are .*interp"),
        (T[::-1], "t goes back"),
        (0 * T, "t is constant"),
        (np.round(T), "t repeats 19 stamps"),
    ],
)
def test_unusable_times_are_refused(path, times, words):
    with pytest.raises(InvalidSamplesError, match=words):
        read_record_file(write(path, times), TANK)


@pytest.mark.parametrize(
    ("cell", "words"),
    [("broken", r"line 4: 'broken' under 'pump'"), ("", r"under 'pump', the first in line 4")],
)
def test_a_cell_without_a_number_is_named(path, cell, words):
    path.write_text(f"t,pump,level\n0,1,2\n1,2,3\n2,{cell},3\n3,4,5\n")
    with pytest.raises(InvalidFileError, match=words):
        read_record_file(path, TANK)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (RecordColumns(["pumps"], ["level"]), "no column 'pumps'.*'pump'"),
        (RecordColumns(["pump"], ["level"], time="time"), "no column 'time'"),
        (RecordColumns(["pump"], ["level"], time="pump"), "pump is named twice"),
    ],
)
def test_wrong_columns_are_refused(path, columns, words):
    with pytest.raises(InvalidFileError, match=words):
        read_record_file(write(path), columns)
