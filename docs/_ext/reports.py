"""The gallery of reports: three pages, written when the site is built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import unbraid
from unbraid.cases import duffing, toy_samples

FOLDER = "pages"  # of the built site


def write_pages(folder: Path) -> list[Path]:
    """A function, a dynamic model, and a scan."""
    samples = toy_samples(100, random_state=0)
    function = unbraid.decouple(samples, n_branches=3, random_state=0)
    record = duffing(2000, 600, random_state=0)
    model = unbraid.statespace.identify(
        *record.train, n_states=2, n_branches=1, sampling_time=record.sampling_time, random_state=0
    )
    scan = unbraid.scan(samples, n_branches=[1, 2, 3, 4], degree=3, progress=False)
    return [
        unbraid.report(function, folder / "toy.html", title="The toy problem"),
        unbraid.report(
            model, folder / "duffing.html", title="A Duffing oscillator", data=tuple(record.test)
        ),
        unbraid.report(scan, folder / "scan.html", title="A scan of the toy problem"),
    ]


def write_after_build(app: Any, error: Exception | None) -> None:
    """Write the pages beside those of the site."""
    if error is None and app.builder.format == "html":
        folder = Path(app.outdir) / FOLDER
        folder.mkdir(exist_ok=True)
        write_pages(folder)


def setup(app: Any) -> dict[str, Any]:
    app.connect("build-finished", write_after_build)
    return {"parallel_read_safe": True}
