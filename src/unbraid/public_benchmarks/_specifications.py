"""The benchmarks: names, units, files and splits."""

from dataclasses import dataclass

from . import _splits as splits
from ._sources import Combiner, combine_emps, combine_f16


@dataclass(frozen=True)
class Benchmark:
    """One public benchmark.

    Parameters
    ----------
    name, title : str
    unit : str
        Of the scores; a root mean square error in the unit of the record times ``scale``.
    sampling_time : float, optional
        Seconds; None if the file says it.
    files : tuple of str
        Names or patterns of its files in a folder, the one to look for first in front.
    split : callable
        Makes the official split from the arrays of its files.
    summary : str
        The system, the training record and the score.
    package_function : str, optional
        Function of ``nonlinear_benchmarks`` that downloads it.
    combine : callable, optional
        Makes one set of arrays from several files.
    """

    name: str
    title: str
    unit: str
    scale: float
    sampling_time: float | None
    files: tuple[str, ...]
    split: splits.Splitter
    summary: str
    package_function: str | None = None
    combine: Combiner | None = None


_ALL = (
    Benchmark(
        name="silverbox",
        title="Silverbox",
        unit="mV",
        scale=1e3,
        sampling_time=1 / 610.35,
        files=("silverbox.npz", "SNLS80mV.mat", "SNLS80mV.csv"),
        split=splits.split_silverbox,
        package_function="Silverbox",
        summary="An electrical circuit that behaves as a mass on a hardening spring. Training: "
        "65,062 samples of a multisine. The amplitude of the arrow record grows beyond that of "
        "the training record. Scored from sample 50 on.",
    ),
    Benchmark(
        name="wiener-hammerstein",
        title="Wiener–Hammerstein",
        unit="mV",
        scale=1e3,
        sampling_time=1 / 51_200,
        files=("wiener_hammerstein_2009.npz", "WienerHammerBenchMark.mat"),
        split=splits.split_wiener_hammerstein,
        package_function="WienerHammerBenchMark",
        summary="A diode circuit between two filters of third order. Training: 100,000 samples of "
        "filtered noise; test: 78,800 samples. Scored from sample 50 on.",
    ),
    Benchmark(
        name="cascaded-tanks",
        title="Cascaded tanks",
        unit="V",
        scale=1.0,
        sampling_time=4.0,
        files=("cascaded_tanks.npz", "dataBenchmark.mat"),
        split=splits.split_tanks,
        package_function="Cascaded_Tanks",
        summary="Two water tanks that overflow. Training and test: 1024 samples each, from unknown "
        "initial levels. Scored from sample 50 on; some published results used 4 samples.",
    ),
    Benchmark(
        name="emps",
        title="Electro-mechanical positioning system",
        unit="mm",
        scale=1e3,
        sampling_time=1e-3,
        files=("emps.npz", "DATA_EMPS*.mat"),
        split=splits.split_emps,
        package_function="EMPS",
        combine=combine_emps,
        summary="A drive with friction, measured in closed loop; motor force to position, with an "
        "integrator. Scored from sample 20 on.",
    ),
    Benchmark(
        name="ced",
        title="Coupled electric drives",
        unit="ticks/s",
        scale=1.0,
        sampling_time=0.02,
        files=("ced.npz", "DATAUNIF.MAT", "DATAUNIF.mat"),
        split=splits.split_ced,
        package_function="CED",
        summary="Two motors and a belt; the sensor does not see the sign of the speed. Training: "
        "the first 400 samples of two records; tests: their last 100. Scored from sample 10 on; "
        "some published results used 4 samples.",
    ),
    Benchmark(
        name="bouc-wen",
        title="Bouc–Wen",
        unit="1e-5 m",
        scale=1e5,
        sampling_time=1 / 750,
        files=("bouc_wen.npz",),
        split=splits.split_bouc_wen,
        summary="A simulated oscillator with hysteresis. Training: periods of 8192 samples of a "
        "random-phase multisine, with noise. The multisine test is one period in steady state; the "
        "sine sweep starts from rest.",
    ),
    Benchmark(
        name="parwh",
        title="Parallel Wiener–Hammerstein",
        unit="mV",
        scale=1e3,
        sampling_time=None,
        files=("parwh.npz", "ParWHData.mat"),
        split=splits.split_parallel_wiener_hammerstein,
        package_function="ParWH",
        summary="Two Wiener–Hammerstein circuits side by side. Training: two periods of 20 "
        "multisines at each of five amplitudes; tests: one more multisine per amplitude, level 5 "
        "is the largest. Scored from sample 50 on.",
    ),
    Benchmark(
        name="f16",
        title="F-16 ground vibration test",
        unit="the unit of the record",
        scale=1.0,
        sampling_time=1 / 400,
        files=("f16.npz", "F16Data_*.mat"),
        split=splits.split_f16,
        package_function="F16",
        combine=combine_f16,
        summary="An aircraft on a shaker: force to the first of three accelerations. Training: "
        "multisines and sine sweeps of odd levels; tests: those of even levels. Scored from sample "
        "50 on.",
    ),
)
#: The benchmarks by name.
BENCHMARKS: dict[str, Benchmark] = {benchmark.name: benchmark for benchmark in _ALL}
