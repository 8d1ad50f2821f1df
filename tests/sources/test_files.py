"""Samples in .npz and .mat files, in either layout, and files that are refused."""

import numpy as np
import pytest

import unbraid
from sources.data_files import SAMPLES, F, J, P, check, save
from unbraid import InvalidFileError, InvalidOptionError, sample
from unbraid.sources import read_samples


@pytest.mark.parametrize("suffix", [".mat", ".npz"])
@pytest.mark.parametrize("names", ["PFJ", ("points", "values", "jacobians"), ("U", "Y", "DF")])
@pytest.mark.parametrize("turned", [False, True])
def test_reads_arrays_in_either_layout(tmp_path, suffix, names, turned):
    arrays = (P.T, F.T, np.moveaxis(J, 0, 2)) if turned else (P, F, J)
    path = save(
        tmp_path / f"data{suffix}", **dict(zip(names, arrays, strict=True)), other=np.eye(2)
    )
    check(sample(path))
    check(sample(str(path)))
    check(read_samples(path))


@pytest.mark.parametrize("suffix", [".mat", ".npz"])
def test_reads_arrays_with_given_names(tmp_path, suffix):
    path = save(tmp_path / f"data{suffix}", a=P, b=F, c=J, P=np.zeros((3, 3)))
    check(read_samples(path, points="a", values="b", jacobians="c"))


def test_reads_mixed_layouts_where_one_fits(tmp_path):
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
        with pytest.raises(InvalidOptionError, match="own samples"):
            sample(path, **keywords)


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
def test_rejects_bad_arrays(tmp_path, suffix, arrays, message):
    path = save(tmp_path / f"bad{suffix}", **arrays)
    with pytest.raises(InvalidFileError, match=message) as caught:
        sample(path)
    assert f"bad{suffix}" in str(caught.value)


def test_rejects_ambiguous_layouts(tmp_path):
    square = np.ones((2, 2))
    path = save(tmp_path / "two.npz", P=np.ones((3, 2)), F=np.ones((2, 2)), J=np.ones((2, 2, 2)))
    with pytest.raises(InvalidFileError, match="belong together"):
        sample(path)
    rows_win = sample(save(tmp_path / "square.npz", P=square, F=square, J=np.ones((2, 2, 2))))
    assert rows_win.n_points == 2
    mixed = save(tmp_path / "mixed.npz", P=np.ones((3, 4)), F=np.ones((4, 4)), J=np.ones((4, 4, 3)))
    with pytest.raises(InvalidFileError, match="one way"):
        sample(mixed)


def test_rejects_jacobians_of_four_axes(tmp_path):
    path = tmp_path / "data.npz"
    np.savez(path, P=P, F=F[:, :1], J=np.ones((30, 1, 2, 1)))
    with pytest.raises(InvalidFileError, match=r"\(30, 1, 2, 1\)"):
        read_samples(path)


@pytest.mark.parametrize("name", ["bad.mat", "bad.npz"])
@pytest.mark.parametrize("content", [b"", b"not a file of arrays", bytes(600)])
def test_rejects_damaged_files(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InvalidFileError, match=name):
        sample(path)


@pytest.mark.parametrize("suffix", [".mat", ".npz"])
def test_rejects_truncated_files(tmp_path, suffix):
    path = save(tmp_path / f"cut{suffix}", P=P, F=F, J=J)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(InvalidFileError, match="cut"):
        sample(path)


def test_objects_are_not_unpickled(tmp_path):
    path = save(tmp_path / "objects.npz", P=np.array([{}, []], dtype=object), F=F, J=J)
    with pytest.raises(InvalidFileError, match="plain arrays"):
        sample(path)


@pytest.mark.parametrize("name", ["missing.mat", "missing.npz", "missing.csv"])
def test_rejects_missing_files(tmp_path, name):
    with pytest.raises(InvalidFileError, match=name):
        sample(tmp_path / name)


def test_rejects_names_that_the_file_does_not_hold(tmp_path):
    path = save(tmp_path / "data.npz", P=P, F=F, J=J)
    with pytest.raises(InvalidFileError, match="'Q'"):
        read_samples(path, points="Q")
    with pytest.raises(InvalidOptionError, match=r"data\.txt"):
        read_samples(tmp_path / "data.txt")
