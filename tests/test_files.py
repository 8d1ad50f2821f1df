"""Samples read from .npz, .mat and .csv files, in either layout, and what goes wrong."""

import numpy as np
import pytest
from scipy.io import savemat

import unbraid
from unbraid import InvalidFile, InvalidOption, sample
from unbraid.cases._network import network_samples
from unbraid.sources import read_samples

SAMPLES = network_samples(30, random_state=0)
P, F, J = SAMPLES.points, SAMPLES.values, SAMPLES.jacobians


def check(samples):
    np.testing.assert_array_equal(samples.points, P)
    np.testing.assert_array_equal(samples.values, F)
    np.testing.assert_array_equal(samples.jacobians, J)
    assert samples.source == "given"


def save(path, **arrays):
    (savemat(path, arrays) if path.suffix == ".mat" else np.savez(path, **arrays))
    return path


def write_csv(path, names, table, separator=","):
    rows = [separator.join(names), *(separator.join(map(repr, row)) for row in table.tolist())]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("suffix", [".mat", ".npz"])
@pytest.mark.parametrize("names", ["PFJ", ("points", "values", "jacobians"), ("U", "Y", "DF")])
@pytest.mark.parametrize("turned", [False, True])
def test_arrays_in_either_layout(tmp_path, suffix, names, turned):
    arrays = (P.T, F.T, np.moveaxis(J, 0, 2)) if turned else (P, F, J)
    path = save(
        tmp_path / f"data{suffix}", **dict(zip(names, arrays, strict=True)), other=np.eye(2)
    )
    check(sample(path))
    check(sample(str(path)))
    check(read_samples(path))


@pytest.mark.parametrize("suffix", [".mat", ".npz"])
def test_names_of_ones_own(tmp_path, suffix):
    path = save(tmp_path / f"data{suffix}", a=P, b=F, c=J, P=np.zeros((3, 3)))
    check(read_samples(path, points="a", values="b", jacobians="c"))


def test_layouts_may_be_mixed_where_one_fits(tmp_path):
    check(sample(save(tmp_path / "data.npz", P=P.T, F=F, J=J)))
    check(sample(save(tmp_path / "data.mat", P=P, F=F.T, J=np.moveaxis(J, 0, 2))))


@pytest.mark.parametrize("suffix", [".mat", ".npz"])
def test_axes_of_length_one_may_be_dropped(tmp_path, suffix):
    one_output = save(tmp_path / f"a{suffix}", P=P, F=F[:, 0], J=J[:, 0])
    np.testing.assert_array_equal(sample(one_output).jacobians, J[:, :1])
    turned = save(tmp_path / f"b{suffix}", P=P.T, F=F[:, :1].T, J=J[:, 0].T)
    np.testing.assert_array_equal(sample(turned).jacobians, J[:, :1])
    one_input = save(tmp_path / f"c{suffix}", P=P[:, :1], F=F, J=J[:, :, 0])
    np.testing.assert_array_equal(sample(one_input).jacobians, J[:, :, :1])


def test_a_file_is_decoupled_as_its_samples_are(tmp_path):
    path = save(tmp_path / "data.npz", P=P, F=F, J=J)
    options = {"n_branches": 2, "method": "cpd", "random_state": 0, "basis": None}
    found, expected = unbraid.decouple(path, **options), unbraid.decouple(SAMPLES, **options)
    np.testing.assert_array_equal(found.W, expected.W)
    for keywords in ({"points": P}, {"outputs": [0]}, {"jacobian": np.sin}):
        with pytest.raises(InvalidOption, match="own samples"):
            sample(path, **keywords)


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
def test_tables_of_text(tmp_path, names, separator):
    order = np.random.default_rng(0).permutation(8)
    shuffled = [names[k] for k in order]
    check(sample(write_csv(tmp_path / "data.csv", shuffled, TABLE[:, order], separator)))


def test_columns_go_by_their_numbers(tmp_path):
    names = ["p10", "p2", "f", "df/dp10", "df/dp2"]
    table = np.arange(20.0).reshape(4, 5)
    samples = sample(write_csv(tmp_path / "data.csv", names, table))
    np.testing.assert_array_equal(samples.points, table[:, [1, 0]])
    np.testing.assert_array_equal(samples.jacobians[:, 0], table[:, [4, 3]])


def test_columns_of_ones_own(tmp_path):
    names = list("abcdefgh")
    path = write_csv(tmp_path / "data.csv", names, TABLE)
    check(read_samples(path, list("ab"), list("cd"), list("efgh")))
    with pytest.raises(InvalidFile, match="3 columns"):
        read_samples(path, list("ab"), list("cd"), list("efg"))
    with pytest.raises(InvalidFile, match="column 'z'"):
        read_samples(path, ["a", "z"], list("cd"), list("efgh"))
    with pytest.raises(InvalidFile, match="p1, x1"):
        sample(path)


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
def test_tables_as_programs_write_them(tmp_path, text, encoding):
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


def test_some_outputs_of_a_table(tmp_path):
    names = ["p1", "p2", "f1", "f2", "J11", "J12", "J21", "J22"]
    path = write_csv(tmp_path / "data.csv", names, TABLE)
    second = read_samples(path, values="f2")
    np.testing.assert_array_equal(second.values, F[:, 1:])
    np.testing.assert_array_equal(second.jacobians, J[:, 1:])
    with pytest.raises(InvalidFile, match="are J12"):
        read_samples(path, points="p1", values="f1")
    with pytest.raises(InvalidFile, match="of f2, p1"):
        read_samples(path, points=["f2", "p1"], values="f1")
    own = write_csv(tmp_path / "own.csv", ["p1", "p2", "force", "torque", *names[4:]], TABLE)
    check(read_samples(own, values=["force", "torque"]))
    with pytest.raises(InvalidFile, match="are J21, J22"):
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
def test_bad_tables(tmp_path, text, message):
    path = tmp_path / "bad.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InvalidFile, match=message) as caught:
        sample(path)
    assert "bad.csv" in str(caught.value)


@pytest.mark.parametrize("suffix", [".mat", ".npz"])
@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"P": P, "F": F}, "no Jacobians"),
        ({"A": P, "B": F}, "'A'"),
        ({"P": P, "F": F, "J": J[:, :1]}, "belong together"),
        ({"P": P[:20], "F": F, "J": J}, r"points \(20, 2\)"),
        ({"P": P, "F": np.full_like(F, np.nan), "J": J}, "'F' holds"),
        ({"P": P, "F": np.array("text"), "J": J}, "'F' is"),
    ],
)
def test_bad_arrays(tmp_path, suffix, arrays, message):
    path = save(tmp_path / f"bad{suffix}", **arrays)
    with pytest.raises(InvalidFile, match=message) as caught:
        sample(path)
    assert f"bad{suffix}" in str(caught.value)


def test_layouts_that_are_not_clear_are_refused(tmp_path):
    square = np.ones((2, 2))
    path = save(tmp_path / "two.npz", P=np.ones((3, 2)), F=np.ones((2, 2)), J=np.ones((2, 2, 2)))
    with pytest.raises(InvalidFile, match="belong together"):
        sample(path)
    rows_win = sample(save(tmp_path / "square.npz", P=square, F=square, J=np.ones((2, 2, 2))))
    assert rows_win.n_points == 2
    mixed = save(tmp_path / "mixed.npz", P=np.ones((3, 4)), F=np.ones((4, 4)), J=np.ones((4, 4, 3)))
    with pytest.raises(InvalidFile, match="one way"):
        sample(mixed)


@pytest.mark.parametrize("name", ["bad.mat", "bad.npz"])
@pytest.mark.parametrize("content", [b"", b"not a file of arrays", bytes(600)])
def test_damaged_files(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InvalidFile, match=name):
        sample(path)


@pytest.mark.parametrize("suffix", [".mat", ".npz"])
def test_cut_off_files(tmp_path, suffix):
    path = save(tmp_path / f"cut{suffix}", P=P, F=F, J=J)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(InvalidFile, match="cut"):
        sample(path)


def test_objects_are_not_unpickled(tmp_path):
    path = save(tmp_path / "objects.npz", P=np.array([{}, []], dtype=object), F=F, J=J)
    with pytest.raises(InvalidFile, match="plain arrays"):
        sample(path)


def test_new_files_of_matlab(tmp_path):
    path = tmp_path / "new.mat"
    text = b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM"
    path.write_bytes(text + bytes(384) + b"\x89HDF\r\n\x1a\n" + bytes(100))
    with pytest.raises(InvalidFile, match="-v7"):
        sample(path)


@pytest.mark.parametrize("name", ["missing.mat", "missing.npz", "missing.csv"])
def test_missing_files(tmp_path, name):
    with pytest.raises(InvalidFile, match=name):
        sample(tmp_path / name)


def test_names_that_are_not_there(tmp_path):
    path = save(tmp_path / "data.npz", P=P, F=F, J=J)
    with pytest.raises(InvalidFile, match="'Q'"):
        read_samples(path, points="Q")
    with pytest.raises(InvalidOption, match=r"data\.txt"):
        read_samples(tmp_path / "data.txt")
