"""Twelve curves as a page that needs no network: drawn by packages of PyPI, and by our report.

Needs Chromium with its driver, and plotly, bokeh, altair, vl-convert-python (`make drawing`).
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import unbraid
from unbraid import BSpline, DecoupledFunction
from unbraid.model._branch_fit import fit_branch

N_CHARTS, N_NODES, N_DOTS = 12, 150, 150
N_LOADS = 5  # of every page; the median counts
SETTLE = 1500  # milliseconds until a page has drawn under a policy
SHAPES = (np.tanh, np.sin, np.square, np.abs)
LOADED = """
const done = arguments[0], entry = performance.getEntriesByType('navigation')[0];
const paint = performance.getEntriesByName('first-contentful-paint')[0];
requestAnimationFrame(() => setTimeout(() =>
  done(Math.max(entry.loadEventEnd, paint ? paint.startTime : 0))));"""

COUNTED = """
const parts = [], walk = root => { for (const e of root.querySelectorAll('*')) {
  parts.push(e);
  if (e.shadowRoot) walk(e.shadowRoot);
} };
walk(document);
const focusable = e => e.tabIndex >= 0 && (e.matches('[role=slider]') || e.closest('svg'));
return [parts.filter(focusable).length, parts.every(e => e.localName !== 'canvas')];"""


def make_charts() -> list[tuple[np.ndarray, ...]]:
    """Nodes, curve, half width of the band, and points, per chart."""
    rng, x = np.random.default_rng(0), np.linspace(-2, 2, N_NODES)
    charts = []
    for k in range(N_CHARTS):
        shape, p = SHAPES[k % len(SHAPES)], rng.uniform(-2, 2, N_DOTS)
        charts.append(
            (x, shape(x), 0.1 + 0.05 * x**2, p, shape(p) + 0.05 * rng.normal(size=N_DOTS))
        )
    return charts


def write_plotly(path: Path) -> None:
    import plotly.graph_objects as go

    parts = []
    for k, (x, y, half, p, q) in enumerate(make_charts()):
        figure = go.Figure()
        figure.add_scatter(x=[*x, *x[::-1]], y=[*(y + half), *(y - half)[::-1]], fill="toself")
        figure.add_scatter(x=x, y=y)
        figure.add_scatter(x=p, y=q, mode="markers")
        parts.append(figure.to_html(full_html=False, include_plotlyjs=k == 0))
    path.write_text(f"<!doctype html><html><head></head><body>{''.join(parts)}</body></html>")


def write_bokeh(path: Path) -> None:
    from bokeh.embed import file_html
    from bokeh.layouts import column
    from bokeh.plotting import figure
    from bokeh.resources import INLINE

    figures = []
    for x, y, half, p, q in make_charts():
        f = figure(width=460, height=300, tools="hover,pan,wheel_zoom,box_zoom,reset")
        f.varea(x, y - half, y + half, fill_alpha=0.2)
        f.line(x, y)
        f.scatter(p, q, size=3)
        figures.append(f)
    path.write_text(file_html(column(*figures), INLINE, "bokeh"))


def write_vega(path: Path) -> None:
    import altair as alt
    import pandas as pd

    charts = []
    for x, y, half, p, q in make_charts():
        curve = pd.DataFrame({"x": x, "y": y, "low": y - half, "high": y + half})
        base, dots = alt.Chart(curve), alt.Chart(pd.DataFrame({"x": p, "y": q}))
        band = base.mark_area(opacity=0.2).encode(x="x", y="low", y2="high")
        line = base.mark_line().encode(x="x", y="y", tooltip=["x", "y"])
        charts.append(band + line + dots.mark_point().encode(x="x", y="y"))
    alt.vconcat(*charts).save(str(path), inline=True)


def write_report(path: Path) -> None:
    """A whole report of a function with as many directions, not the charts alone."""
    rng = np.random.default_rng(0)
    points = rng.uniform(-2, 2, (1000, N_CHARTS))
    V = np.eye(N_CHARTS) + 0.7 * np.roll(np.eye(N_CHARTS), 1, axis=0)
    branches = tuple(
        fit_branch(BSpline(12), z, SHAPES[k % len(SHAPES)](z)) for k, z in enumerate((points @ V).T)
    )
    W = rng.uniform(0.5, 1, (1, N_CHARTS))
    d = DecoupledFunction(W, V, branches, np.zeros(1), points=points, spread=points.std(axis=0))
    unbraid.report(d, path, data=(points, d(points)))


WRITERS: dict[str, Callable[[Path], None]] = {
    "Plotly": write_plotly,
    "Bokeh": write_bokeh,
    "Vega (Altair)": write_vega,
    "report": write_report,
}


def with_policy(page: str) -> str:
    """The page under a policy that allows its own scripts and styles by their hashes."""

    def digests(pattern: str) -> str:
        texts = re.findall(pattern, page, re.DOTALL)
        found = [base64.b64encode(hashlib.sha256(t.encode()).digest()).decode() for t in texts]
        return " ".join(f"'sha256-{digest}'" for digest in found) or "'none'"

    scripts = digests(r"<script(?![^>]*json)[^>]*>(.*?)</script>")
    styles = digests(r"<style[^>]*>(.*?)</style>")
    policy = f"default-src 'none'; img-src data:; style-src {styles}; script-src {scripts}"
    tag = f'<head><meta http-equiv="Content-Security-Policy" content="{policy}">'
    return re.sub(r"<head>", lambda _: tag, page, count=1)


def measure(driver: Any, path: Path) -> dict[str, Any]:
    times = []
    for _ in range(N_LOADS):
        driver.get("about:blank")
        driver.get(path.as_uri())
        times.append(driver.execute_async_script(LOADED))
    driver.execute_async_script(f"setTimeout(arguments[0], {SETTLE})")
    readable, vector = driver.execute_script(COUNTED)
    page = path.read_text(encoding="utf-8")
    strict = path.with_suffix(".strict.html")
    strict.write_text(page if "Security-Policy" in page else with_policy(page), encoding="utf-8")
    driver.get_log("browser")
    driver.get(strict.as_uri())
    driver.execute_async_script(f"setTimeout(arguments[0], {SETTLE})")
    refused = [e for e in driver.get_log("browser") if "Content Security Policy" in e["message"]]
    return {
        "kB": len(page.encode()) / 1000,
        "kB packed": len(gzip.compress(page.encode())) / 1000,
        "ms": float(np.median(times)),
        "refused": len(refused),
        "readable": readable,
        "vector": vector,
    }


def main() -> None:
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with (
        tempfile.TemporaryDirectory() as folder,
        Chrome(options=options, service=Service(shutil.which("chromedriver"))) as driver,
    ):
        found = {}
        for name, write in WRITERS.items():
            path = Path(folder) / f"{name}.html"
            write(path)
            found[name] = measure(driver, path)
    ours = found["report"]["ms"]
    print(
        f"{'':14} {'kB':>6} {'packed':>7} {'time':>6} {'refused':>8} {'by keys':>8} {'drawn as':>9}"
    )
    for name, row in found.items():
        drawn = "vectors" if row["vector"] else "pixels"
        print(
            f"{name:14} {row['kB']:6.0f} {row['kB packed']:7.0f} {row['ms'] / ours:6.1f} "
            f"{row['refused']:8d} {row['readable']:8d} {drawn:>9}"
        )


if __name__ == "__main__":
    main()
