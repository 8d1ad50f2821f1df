"""Reports of models with hostile names: nothing runs or is loaded, the page stays readable."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import browser
import unbraid
from effort import examples
from report_helpers import visit
from unbraid.reports import report

HACK = "window.hacked = 1"
NAMES = [
    f"<script>{HACK}</script>",
    f"</script><script>{HACK}</script>",
    f"]]><svg onload='{HACK}'>",
    f"javascript:{HACK}",
    f'"onmouseover="{HACK}" x="',
    f"'><iframe srcdoc='<script>parent.{HACK}</script>'>",
    f"--><!--<img src=x onerror={HACK}>",
    f"&lt;script&gt;{HACK}&lt;/script&gt;",
    f"`${{{HACK}}}` {{{{7*7}}}}",
    "</style><style>*{display:none}",
    "</title></math></text></svg><h1 id=planted>planted</h1>",
    "x" * 10_000,
    "\u202eturned\u2066 around\u202d",
    "nul\x00 bell\x07 escape\x1b[31m delete\x7f",
    "\ud800 alone \udfff",
    "e" + "\u0301" * 10_000,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 3000,
    "\ufdfd" * 40,
    "\u200d" * 5000,
    "many\nlines\r\n\tof\u2028text",
    "",
    " ",
    r"\frac{1}{0} \href{javascript:alert(1)}{x} $ _ ^ ~ % #",
    "سرعة",
]


@pytest.fixture(scope="module")
def function():
    """As many inputs as there are names, each of them in a branch."""
    m = len(NAMES)
    rng = np.random.default_rng(0)
    V = rng.normal(size=(m, 2))
    points = rng.normal(size=(300, m))
    samples = unbraid.sample(lambda p: np.tanh(p @ V / 5) @ np.eye(2), points)
    d = unbraid.decouple(samples, n_branches=2, method="cpd", random_state=0)
    return replace(d, origin=" ".join(NAMES))


@pytest.fixture(scope="module")
def pages(function, tmp_path_factory):
    """Inputs have all the names; titles and outputs those that matter most first."""
    folder = tmp_path_factory.mktemp("hostile")
    ranked = [NAMES[k] for k in (1, 11, 10, 14, *range(len(NAMES)))]
    pairs = [pair for pair in zip(ranked, NAMES[2:] + NAMES, strict=False) if len({*pair}) == 2]
    return [
        report(function.named(NAMES, pair), folder / f"{k}.html", title=pair[0])
        for k, pair in enumerate(pairs[: examples(4)])
    ]


INERT = """
const all = [...document.querySelectorAll('*')];
return {
  hacked: window.hacked ?? null,
  planted: document.querySelectorAll('#planted, iframe, img, object, embed, base, form').length,
  scripts: document.scripts.length,
  styles: document.querySelectorAll('style').length,
  handlers: all.filter(e => [...e.attributes].some(a => a.name.startsWith('on'))).length,
  links: [...document.links].filter(a => !/^(#|data:application\\/json)/.test(
    a.getAttribute('href'))).length,
};
"""
NOTHING = {"hacked": None, "planted": 0, "scripts": 1, "styles": 1, "handlers": 0, "links": 0}
READABLE = """
const texts = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
  const parent = walk.currentNode.parentElement;
  if (!parent.closest('script, style, details, pre')) texts.push(walk.currentNode.data);
}
const visible = [...document.querySelectorAll('h1, h2, h3, p, th, td, svg, math')]
  .filter(e => e.getBoundingClientRect().width > 0).length;
return [Math.max(...texts.map(t => t.length)), visible,
        document.documentElement.scrollWidth, document.body.innerText];
"""


@pytest.mark.slow
def test_hostile_names_do_nothing(driver, pages):
    for path in pages:
        visit(driver, path, width=1280)
        assert driver.execute_script(INERT) == NOTHING, path.name
        assert driver.get_log("browser") == []
        asked = browser.requests(driver)
        assert asked
        assert all(url == path.as_uri() or url.startswith("data:") for url in asked)


@pytest.mark.slow
def test_hostile_names_stay_readable_and_narrow(driver, pages):
    for path in pages:
        visit(driver, path, width=360)
        longest, visible, width, text = driver.execute_script(READABLE)
        assert width == 360, path.name
        assert visible > 10
        assert longest < 1200, path.name
        assert "x" * 1000 not in text
        assert not set(text) & set("\u202e\u202d\u2066\x00\x07\x1b\x7f\ud800\udfff")


@pytest.mark.slow
def test_hostile_names_survive_pointer_and_clicks(driver, pages):
    visit(driver, pages[2], width=1280)
    driver.execute_script("""
      for (const e of document.querySelectorAll('*'))
        for (const kind of ['mouseover', 'mouseenter', 'focus', 'pointerdown', 'error', 'load'])
          e.dispatchEvent(new Event(kind, {bubbles: true}));
      document.querySelectorAll('summary, button').forEach(e => e.click());
    """)
    assert driver.execute_script(INERT) == NOTHING


def test_hostile_names_survive_a_file(function, tmp_path):
    named = function.named(NAMES, NAMES[:2])
    again = unbraid.load(named.save(tmp_path / "d.json"))
    assert again.input_names == tuple(NAMES)
    assert again.output_names == tuple(NAMES[:2])


@pytest.mark.slow
def test_hostile_settings_of_a_scan_do_nothing(driver, function, tmp_path):
    pytest.importorskip("joblib")
    from unbraid.cases import toy_samples

    options = {"n_branches": [1, 2], "degree": 2, "method": "cpd", "progress": False}
    found = unbraid.scan(toy_samples(60, random_state=0), names=NAMES[:2], **options)
    rows = [
        replace(row, settings={**row.settings, name: name}, warnings=(name,), varying=(name,))
        for row, name in zip(found.rows, (NAMES[0], NAMES[11]), strict=True)
    ]
    failed = replace(rows[1], index=7, failure=NAMES[6] + NAMES[11], document=None)
    scan = replace(found, rows=(*rows, failed), problem=NAMES[1] + NAMES[11])
    path = report(scan, tmp_path / "scan.html", title=NAMES[2])
    visit(driver, path, width=360)
    assert driver.execute_script(INERT) == NOTHING
    longest, _, width, _ = driver.execute_script(READABLE)
    assert width == 360
    assert longest < 1200
