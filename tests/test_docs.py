"""The documentation site: it builds without a warning, offline, and browsers show what it says."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zlib
from importlib.util import find_spec
from pathlib import Path

import pytest

import browser
import unbraid

DOCS = Path(__file__).parents[1] / "docs"
NEEDED = {
    "sphinx": "sphinx",
    "myst_parser": "myst-parser",
    "furo": "furo",
    "numpydoc": "numpydoc",
    "sphinx_gallery": "sphinx-gallery",
    "sphinx_copybutton": "sphinx-copybutton",
    "latex2mathml": "latex2mathml",
    "matplotlib": "matplotlib",
    "sklearn": "scikit-learn",
    "joblib": "joblib",
}
ABSENT = [package for module, package in NEEDED.items() if find_spec(module) is None]
pytestmark = pytest.mark.skipif(bool(ABSENT), reason=f"not installed: {', '.join(ABSENT)}")
MODULES = (
    "identification",
    "narx",
    "public_benchmarks",
    "statespace",
    "export",
    "cases",
    "sampling",
    "metrics",
    "solvers",
)

FORMULAS = """
return [...document.querySelectorAll('article math')].map(formula => {
  const box = formula.getBoundingClientRect();
  return [box.width, box.height, formula.textContent];
})"""
STACKED = """
return [...document.querySelectorAll('article mfrac')].map(fraction => {
  const [above, below] = [...fraction.children].map(part => part.getBoundingClientRect());
  return above.bottom <= below.top + 2;
})"""


@pytest.mark.slow
def test_the_site(tmp_path):
    """One test, since the build takes a minute or two and all else reads what it made."""
    site = built(tmp_path)
    check_that_every_public_name_is_in_the_reference(site)
    check_that_every_page_can_be_reached(site)
    check_that_every_example_has_a_picture(site)
    check_that_nothing_is_fetched(site)
    check_that_the_reports_are_linked(site)
    if browser.missing():
        pytest.skip(f"built and read, but not opened: {browser.missing()}")
    with browser.chromium() as driver:
        for name in ("index.html", "mathematics.html"):
            check_formulas(driver, site / name)
        for name in ("index.html", "mathematics.html", "auto_gallery/index.html"):
            check_that_it_fits_a_phone(driver, site / name)


def built(folder):
    """Built from a copy, as the gallery writes beside its source."""
    unwanted = shutil.ignore_patterns("_build", "auto_gallery", "__pycache__")
    shutil.copytree(DOCS, folder / "source", ignore=unwanted)
    command = ["-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "source", "html"]
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html"


def check_that_every_public_name_is_in_the_reference(site):
    packed = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    known = {line.split(" ")[0] for line in zlib.decompress(packed).decode().splitlines()}
    # A name may stand under the shorter of two addresses: unbraid.Filter, unbraid.solvers.Filter.
    missing = [
        name
        for name in public_names()
        if name not in known and f"unbraid.{name.split('.')[-1]}" not in known
    ]
    assert missing == []


def public_names():
    yield from (f"unbraid.{name}" for name in unbraid.__all__ if name not in MODULES)
    for module in (getattr(unbraid, name) for name in MODULES):
        defined = [name for name, value in vars(module).items() if is_own(module, name, value)]
        yield from (f"{module.__name__}.{name}" for name in getattr(module, "__all__", defined))


def is_own(module, name, value):
    mine = getattr(value, "__module__", None) == module.__name__
    return callable(value) and mine and not name.startswith("_")


def check_that_every_page_can_be_reached(site):
    front = (site / "index.html").read_text(encoding="utf-8")
    pages = [page.stem for page in DOCS.glob("*.md") if page.stem != "index"]
    assert [page for page in pages if f'href="{page}.html"' not in front] == []


def check_that_the_reports_are_linked(site):
    """Three reports, written when the site is built."""
    text = (site / "report.html").read_text(encoding="utf-8")
    links = re.findall(r'href="(pages/[^"]+)"', text)
    assert len(set(links)) == 3
    assert all("<h1>" in (site / link).read_text(encoding="utf-8") for link in links)


def check_that_every_example_has_a_picture(site):
    examples = sorted(path.stem for path in DOCS.glob("gallery/plot_*.py"))
    assert len(examples) >= 6
    for name in examples:
        text = (site / "auto_gallery" / f"{name}.html").read_text(encoding="utf-8")
        picture = site / "_images" / f"sphx_glr_{name}_001.png"
        assert picture.name in text
        assert "Warning: " not in text, name
        assert picture.stat().st_size > 5000, name


def check_that_nothing_is_fetched(site):
    """Links may lead away; scripts, styles, fonts and pictures may not."""
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        away = re.findall(r'<(?:script|img|link)[^>]+(?:src|href)="((?:https?:)?//[^"]+)"', text)
        assert away == [], page.name


def check_formulas(driver, page):
    """No errors, no requests that leave, and formulas that were drawn, not just read."""
    driver.get("about:blank")
    browser.requests(driver)
    driver.get(page.as_uri())
    asked = browser.requests(driver)
    assert page.as_uri() in asked
    assert [address for address in asked if address.startswith(("http", "ws"))] == []
    errors = [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
    assert errors == []
    formulas = driver.execute_script(FORMULAS)
    assert len(formulas) >= 3
    assert [text for width, height, text in formulas if width < 3 or height < 5] == []
    assert [text for *_, text in formulas if "\\" in text] == []
    assert all(driver.execute_script(STACKED))
    assert "$" not in driver.execute_script("return document.querySelector('article p').innerText")


def check_that_it_fits_a_phone(driver, page):
    browser.emulate(driver, width=390, dark=True)
    driver.get(page.as_uri())
    assert driver.execute_script("return document.documentElement.scrollWidth") <= 390


def test_a_formula_that_cannot_be_drawn_is_refused(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    from mathml import _mathml
    from sphinx.errors import SphinxError

    assert "<mfrac>" in _mathml(r"\frac{1}{N}", "inline")
    for wrong in (r"\nosuchcommand x", r"\mathcal J", r"\begin{aligned} a &= b \end{aligned}"):
        with pytest.raises(SphinxError, match="cannot draw"):
            _mathml(wrong, "block")
