"""Load the record of a benchmark."""

from pathlib import Path

from ..errors import InvalidFileError, InvalidOptionError
from ._records import BenchmarkRecord
from ._sources import data_folder, download, find_in_folder, locate, read_files
from ._specifications import BENCHMARKS, Benchmark


def find_benchmark(name: str) -> Benchmark:
    """The benchmark of a name, or InvalidOptionError."""
    if name not in BENCHMARKS:
        raise InvalidOptionError(f"{name!r} is no benchmark: choose {', '.join(BENCHMARKS)}")
    return BENCHMARKS[name]


def load(name: str, path: str | Path | None = None) -> BenchmarkRecord:
    """Load a benchmark with its official split.

    Parameters
    ----------
    name : str
        One of ``BENCHMARKS``.
    path : path, optional
        A file, or a folder with the usual name of the file. Without it, the folder in the
        environment variable UNBRAID_DATA is searched; then the package ``nonlinear_benchmarks``
        is asked, which downloads most records once.

    Notes
    -----
    Files are those of the archives of the benchmarks (.mat), or .npz files with these arrays;
    signals are (T,):

    =====================================  =====================================================
    ``silverbox.npz``                      u, y: the whole record
    ``wiener_hammerstein_2009.npz``        u, y: the whole record
    ``cascaded_tanks.npz``                 u_train, y_train, u_test, y_test
    ``emps.npz``                           u_train, y_train, u_test, y_test: ``vir`` and ``qm``
    ``ced.npz``                            u_low, y_low, u_high, y_high: 500 samples each
    ``bouc_wen.npz``                       u_train, y_train; and u, y of _multisine, _sinesweep
    ``parwh.npz``                          u_train, y_train, u_test, y_test, each (samples,
                                           periods, realisations, 5 amplitudes); fs in Hz
    ``f16.npz``                            u_train_NAME, y_train_NAME, u_test_NAME, y_test_NAME
    =====================================  =====================================================
    """
    benchmark = find_benchmark(name)
    split = benchmark.split(read_files(_find_files(benchmark, path), benchmark.combine))
    for label, test in split.tests.items():
        if test.initial >= test.u.size:
            raise InvalidFileError(
                f"the test {label!r} of {benchmark.title} has {test.u.size} samples; more than "
                f"{test.initial} are needed"
            )
    return BenchmarkRecord(
        name=benchmark.name,
        training=split.training,
        tests=split.tests,
        sampling_time=split.sampling_time or benchmark.sampling_time,
        unit=benchmark.unit,
        scale=benchmark.scale,
    )


def _find_files(benchmark: Benchmark, path: str | Path | None) -> tuple[Path, ...]:
    if path is not None:
        return locate(path, benchmark.files)
    folder = data_folder()
    found = () if folder is None else find_in_folder(folder, benchmark.files)
    if not found:
        found = download(benchmark.title, benchmark.package_function, benchmark.files[0])
    return select_files(found, benchmark.files)


def select_files(paths: tuple[Path, ...], patterns: tuple[str, ...]) -> tuple[Path, ...]:
    """The files of a list that match the patterns; all where none does."""
    chosen = tuple(path for path in paths if any(path.match(pattern) for pattern in patterns))
    return chosen or paths
