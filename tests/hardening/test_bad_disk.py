"""A full disk, a folder that is read only, names that are no files: what is there stays."""

from __future__ import annotations

import os
import stat
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

import pytest

import unbraid
from unbraid import export
from unbraid._util.atomic import write_files
from unbraid.cases import toy_samples

resource = pytest.importorskip("resource", reason="limits on files are POSIX")
ROOM = "1m"  # of the small disk
TOY = toy_samples(100, random_state=0)


@pytest.fixture(scope="module")
def d():
    return unbraid.decouple(TOY, n_branches=3, basis=unbraid.Polynomial(3), random_state=0)


@pytest.fixture
def small_disk(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def fill(disk: Path) -> None:
    """Not a byte is left."""
    with suppress(OSError), (disk / "fill").open("wb", 0) as file:
        while file.write(bytes(4096)):
            pass


def write_all(d: unbraid.DecoupledFunction, folder: Path) -> list[str]:
    """Write one file of each kind; what was said of those that could not be written."""
    from unbraid.cli import main

    model = str(folder.parent / "model.json")
    if not Path(model).exists():
        d.save(model)
    writers = [
        lambda: d.save(folder / "d.json"),
        lambda: unbraid.report(d, folder / "d.html"),
        lambda: export.to_c(d, folder / "d.c"),
        lambda: export.to_matlab(d, folder / "branches.m"),
        lambda: d.plot(folder / "d.png"),
    ]
    refusals = []
    for write in writers:
        try:
            write()
        except unbraid.InvalidFileError as error:
            refusals.append(str(error))
    for kind, name in (("latex", "d.tex"), ("sympy", "d.txt"), ("onnx", "d.onnx")):
        code = main(["export", model, "--to", kind, "-o", str(folder / name)])
        refusals += ["cannot write"] if code == 2 else []
    return refusals


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "fill"}


@pytest.mark.slow
def test_a_full_disk_keeps_what_is_there(small_disk, d, capsys):
    for extra in ("matplotlib", "onnx", "sympy", "click"):
        pytest.importorskip(extra, reason=f"{extra} is not installed")
    assert write_all(d, small_disk) == []
    before = contents(small_disk)
    assert len(before) == 8
    fill(small_disk)
    refusals = write_all(d, small_disk)
    assert len(refusals) == 8
    assert all("cannot write" in refusal for refusal in refusals)
    assert capsys.readouterr().err.count("No space") == 3
    assert contents(small_disk) == before


def test_a_full_disk_and_a_store(small_disk):
    pytest.importorskip("joblib", reason="scans are an extra")
    grid = {"degree": 3, "progress": False, "store": small_disk / "scan.db"}
    first = unbraid.scan(TOY, n_branches=[1], **grid)
    fill(small_disk)
    with pytest.raises(unbraid.InvalidFileError, match="is full"):
        unbraid.scan(TOY, n_branches=[1, 2, 3], **grid)
    kept = unbraid.load_scan(small_disk / "scan.db")
    assert kept[0].held_out_errors == first[0].held_out_errors
    (small_disk / "fill").unlink()
    assert len(unbraid.scan(TOY, n_branches=[1, 2, 3], **grid)) == 3


def test_a_limit_on_files(tmp_path, d):
    """The same without the rights that a disk needs: writing fails in the middle of a file."""
    target = tmp_path / "d.json"
    d.save(target)
    before = contents(tmp_path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(unbraid.InvalidFileError, match="too large"):
            d.save(target)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert contents(tmp_path) == before


@pytest.mark.slow
def test_a_folder_that_is_read_only(small_disk, d, capsys):
    for extra in ("matplotlib", "onnx", "sympy", "click"):
        pytest.importorskip(extra, reason=f"{extra} is not installed")
    write_all(d, small_disk)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    assert len(write_all(d, small_disk)) == 8
    assert capsys.readouterr().err.count("Read-only") == 3
    with pytest.raises(unbraid.InvalidFileError, match="cannot write"):
        unbraid.scan(TOY, n_branches=1, degree=3, store=small_disk / "scan.db")


def test_two_files_are_replaced_together_or_not_at_all(tmp_path):
    paths = tmp_path / "a", tmp_path / "nowhere" / "b"
    paths[0].write_bytes(b"old")
    with pytest.raises(unbraid.InvalidFileError, match="nowhere"):
        write_files(*((path, b"new") for path in paths))
    assert contents(tmp_path) == {"a": b"old"}


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path, d):
    pipe, read = tmp_path / "pipe.json", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    d.save(pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    reader.join()  # it ends when the writer has closed the pipe
    assert read[0].startswith(b"{")


def test_links_and_rights_stay(tmp_path, d):
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old", encoding="utf-8")
    real.chmod(0o640)
    link.symlink_to(real.name)
    d.save(link)
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert unbraid.load(real).n_branches == 3


@pytest.mark.parametrize("name", ["x" * 250 + ".json", "x" * 300 + ".json"])
def test_names_at_the_limit_and_beyond(tmp_path, d, name):
    if len(name) == 255:
        assert unbraid.load(d.save(tmp_path / name)).n_branches == 3
    else:
        with pytest.raises(unbraid.InvalidFileError, match=r"cannot write"):
            d.save(tmp_path / name)
    assert len(list(tmp_path.iterdir())) == (len(name) == 255)
