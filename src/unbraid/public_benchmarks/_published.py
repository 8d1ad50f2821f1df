"""Published results of the benchmarks: simulation errors on the test records.

Models are black boxes unless ``kind`` says otherwise. Initial windows differ between versions of
the loaders, so older results are not strictly comparable. ``source`` is empty where the original
publication is not known.
"""

from dataclasses import dataclass, field

BLACK_BOX, GREY_BOX, LINEAR = "black box", "grey box", "linear"
COMPARISON = "arXiv 2405.10779"  # a comparison of methods; also holds results of others
DYNONET = "arXiv 2006.02250"
NL_LFR = "arXiv 2503.14409"
TSFAST = "tsfast, default parameters, median of 3 runs"


@dataclass(frozen=True)
class PublishedResult:
    """Errors of one model by test, in the unit of the benchmark."""

    model: str
    errors: dict[str, float] = field(hash=False)
    source: str = ""
    kind: str = BLACK_BOX


def _silverbox(
    model: str, multisine: float, arrow: float, inside: float, source: str, kind: str = BLACK_BOX
) -> PublishedResult:
    errors = {"multisine": multisine, "arrow": arrow, "arrow, no extrapolation": inside}
    return PublishedResult(model, errors, source, kind)


def _single(model: str, error: float, source: str, kind: str = BLACK_BOX) -> PublishedResult:
    return PublishedResult(model, {"test": error}, source, kind)


def _ced(model: str, low: float, high: float, source: str) -> PublishedResult:
    return PublishedResult(model, {"low amplitude": low, "high amplitude": high}, source)


#: Published results by the name of the benchmark.
PUBLISHED: dict[str, tuple[PublishedResult, ...]] = {
    "silverbox": (
        PublishedResult("PNLSS", {"arrow": 0.26}, COMPARISON),
        _silverbox("GP-NARX", 0.301, 0.60, 0.259, COMPARISON),
        _silverbox("GRU", 0.330, 1.315, 0.300, TSFAST),
        _silverbox("SUBNET", 0.36, 1.4, 0.32, COMPARISON),
        _silverbox("polynomial NARX", 0.640, 2.25, 0.571, COMPARISON),
        _silverbox("linear", 6.96, 14.4, 6.58, "", LINEAR),
    ),
    "wiener-hammerstein": (
        _single("SUBNET", 0.241, COMPARISON),
        _single("block-structured", 0.28, "", GREY_BOX),
        _single("NL-LFR", 0.294, NL_LFR),
        _single("PNLSS", 0.42, COMPARISON),
        _single("dynoNet", 0.452, DYNONET),
        _single("GRU", 0.577, TSFAST),
        _single("SysIdentPy", 15.2, COMPARISON),
        _single("GP-NARX", 23.1, COMPARISON),
        _single("polynomial NARX", 27.3, COMPARISON),
        _single("linear", 43.4, "", LINEAR),
    ),
    "cascaded-tanks": (
        _single(GREY_BOX, 0.191, "", GREY_BOX),
        _single("CT-SUBNET", 0.306, ""),
        _single("DT-SUBNET", 0.37, ""),
        _single("GRU", 0.396, TSFAST),
        _single("polynomial NARX", 0.413, COMPARISON),
        _single("PNLSS", 0.45, COMPARISON),
    ),
    "emps": (
        _single("dynoNet", 2.64, DYNONET),
        _single("CT-SUBNET", 4.61, ""),
        _single("polynomial NARX", 5.17, COMPARISON),
        _single("linear", 5.53, "", LINEAR),
        _single("GRU", 74.7, TSFAST),
    ),
    "ced": (
        _ced("LSTM", 0.047, 0.061, TSFAST),
        _ced("GP-NARX", 0.102, 0.090, COMPARISON),
        _ced("CT-SUBNET", 0.115, 0.074, ""),
        _ced("polynomial NARX", 0.10, 0.141, COMPARISON),
    ),
    "bouc-wen": (
        PublishedResult("PNLSS", {"multisine": 1.87}, ""),
        PublishedResult("dynoNet", {"multisine": 4.52}, DYNONET),
        PublishedResult("NFIR", {"multisine": 16.3}, ""),
    ),
    "parwh": (PublishedResult("NL-LFR, 12 states", {"level 4": 1.197}, NL_LFR),),
    "f16": (),
}


def best_published(name: str, test: str) -> PublishedResult | None:
    """The published black box of least error on a test; None if there is none."""
    results = [r for r in PUBLISHED[name] if r.kind == BLACK_BOX and test in r.errors]
    return min(results, key=lambda result: result.errors[test], default=None)
