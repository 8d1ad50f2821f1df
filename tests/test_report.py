"""The report: what is on the page, what is not, and that a real browser shows it."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from importlib.resources import files
from xml.etree import ElementTree

import numpy as np
import pytest

import browser
import unbraid
from unbraid.bases import BSpline, CustomBasis, Polynomial
from unbraid.cases import duffing, toy_samples
from unbraid.errors import InvalidFile, InvalidOption, InvalidSamples
from unbraid.narx import NARX, fit_polynomial_narx
from unbraid.reports import report
from unbraid.reports._markup import shortened, tag
from unbraid.reports._mathml import from_text
from unbraid.reports._numbers import tick_labels
from unbraid.reports.charts._draw import nice_ticks
from unbraid.reports.charts._signals import overview
from unbraid.scans import Scan

HOSTILE = [
    '<script>window.hacked = 1</script>"\'><img src=x onerror="window.hacked = 1">',
    "</title></style></svg></script><svg onload='window.hacked=1'>" + "x" * 10_000 + "\n\u202eleft",
]


class Page(HTMLParser):
    """Elements of a page with their attributes, and the text of each."""

    def __init__(self, path):
        super().__init__()
        self.elements, self.texts, self._open = [], [], []
        self.source = path.read_text(encoding="utf-8")
        self.feed(self.source)
        self.text = " ".join(
            "".join(t for name, t in self.texts if name not in ("style", "script")).split()
        )

    def handle_starttag(self, name, attributes):
        self.elements.append((name, dict(attributes)))
        if name not in ("meta", "br"):
            self._open.append(name)

    def handle_endtag(self, name):
        assert self._open.pop() == name  # every element is closed where it should be

    def handle_data(self, data):
        self.texts.append((self._open[-1] if self._open else "", data))

    def all(self, name, class_=None):
        found = [a for n, a in self.elements if n == name]
        return (
            found
            if class_ is None
            else [a for a in found if class_ in (a.get("class") or "").split()]
        )

    def inside(self, name):
        return "".join(text for n, text in self.texts if n == name)

    def download(self):
        (link,) = self.all("a", "download")
        return base64.b64decode(link["href"].partition("base64,")[2])


@pytest.fixture(scope="module")
def samples():
    return toy_samples(100, random_state=0)


@pytest.fixture(scope="module")
def toy(samples):
    return unbraid.decouple(samples, n_branches=3, basis=Polynomial(3), random_state=0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="module")
def toy_page(toy, folder):
    return report(toy, folder / "toy.html", title="The toy problem")


@pytest.fixture(scope="module")
def scan(samples, folder):
    return unbraid.scan(
        samples, n_branches=[1, 2, 3], degree=3, method=["varpro", "cpd"], n_starts=2,
        progress=False, store=folder / "scan.db", coupled_parameters=14,
    )  # fmt: skip


@pytest.fixture(scope="module")
def scan_page(scan, folder):
    return report(scan, folder / "scan.html")


@pytest.fixture(scope="module")
def records():
    return duffing(3000, 1000, random_state=0)


@pytest.fixture(scope="module")
def narx(records):
    reference = fit_polynomial_narx(
        *records.train, input_lags=(0, 1), output_lags=(1, 2, 3), degree=3
    )
    return reference.decouple(n_branches=2, random_state=0)


@pytest.fixture(scope="module")
def narx_page(narx, records, folder):
    return report(narx, folder / "narx.html", data=tuple(records.test))


@pytest.fixture(scope="module")
def hostile_page(toy, folder):
    options = {"title": HOSTILE[0], "names": HOSTILE, "outputs": HOSTILE[::-1]}
    return report(replace(toy, origin=HOSTILE[0]), folder / "hostile.html", **options)


# what is on the page


def test_the_page_says_what_the_model_is(toy, toy_page):
    page = Page(toy_page)
    assert page.all("html")[0]["lang"] == "en"
    assert page.inside("h1") == "The toy problem"
    assert "3 branches, 23 numbers, held-out error" in page.text
    assert toy.describe().words[1:] in page.text
    assert toy.origin.splitlines()[0] in page.text
    assert len(page.all("figure", "card")) == 3
    assert len(page.all("path", "curve")) == 3
    assert len(page.all("rect", "bar")) == toy.W.size + toy.V.size
    assert len(page.all("figure", "residuals")) == 2
    assert "beyond the data the branches go on straight" in page.text
    assert 'unbraid.load("model.json")' in page.text
    assert all(svg["aria-label"] for svg in page.all("svg"))


def test_nothing_is_fetched_and_only_its_own_script_may_run(scan_page):
    page = Page(scan_page)
    policy = next(a["content"] for a in page.all("meta") if a.get("http-equiv"))
    for name in ("style", "script"):
        digest = base64.b64encode(sha256(page.inside(name).encode()).digest()).decode()
        assert len(page.all(name)) == 1
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    attributes = [item for _, a in page.elements for item in a.items()]
    assert not [key for key, _ in attributes if key in ("src", "style") or key.startswith("on")]
    links = [value for key, value in attributes if key == "href"]
    assert all(link.startswith(("#", "data:application/json")) for link in links)
    assert "innerHTML" not in page.source


def test_names_stay_inert_and_long_ones_are_short(hostile_page):
    page = Page(hostile_page)
    assert len(page.all("script")) == 1
    assert not page.all("img")
    assert not [key for _, a in page.elements for key in a if key.startswith("on")]
    assert "\u202e" not in page.source
    assert max(len(text) for name, text in page.texts if name in ("h1", "th", "text")) <= 160
    assert any("x" * 1000 in (a.get("title") or "") for a in page.all("th"))


def test_text_is_escaped_everywhere():
    assert tag("p", "<b>", title='"><b>') == '<p title="&quot;&gt;&lt;b&gt;">&lt;b&gt;</p>'
    assert shortened("a\x00b\ud800\u2066\nc") == "a\ufffdb\ufffd c"
    assert shortened("\n\t") == "(no name)"


def test_the_downloaded_file_is_the_model(toy, toy_page, narx, narx_page, samples, tmp_path):
    path = tmp_path / "model.json"
    path.write_bytes(Page(toy_page).download())
    assert np.array_equal(unbraid.load(path)(samples.points), toy(samples.points))
    assert unbraid.load(path).residuals is not None
    path.write_bytes(Page(narx_page).download())
    u = np.linspace(0, 0.01, 50)
    start = [0.0, 0.0, 0.0]
    assert np.array_equal(unbraid.narx.load(path).simulate(u, start), narx.simulate(u, start))


def test_a_model_that_cannot_be_in_the_page_is_not(toy, tmp_path):
    z = np.linspace(-1, 1, 50)
    basis = CustomBasis([np.tanh], [lambda z: 1 / np.cosh(z) ** 2])
    branch = unbraid.model._branch.fit_branch(basis, z, np.tanh(z))
    d = replace(toy, W=toy.W[:, :1], V=toy.V[:, :1], branches=(branch,))
    page = Page(report(d, tmp_path / "custom.html"))
    assert not page.all("a", "download")
    assert "saturating" in page.text
    assert "tanh" in page.text


def test_the_formula_has_the_coefficients(toy, toy_page):
    source = toy_page.read_text(encoding="utf-8")
    math = ElementTree.fromstring(re.search(r"<math.*?</math>", source, re.S)[0])
    lines = ["".join(row.itertext()) for row in math.iter("mtr")]
    assert len(lines) == 2 + 3 + 3
    constant, rest = toy.branches[0].curve.basis.monomials(toy.branches[0].curve.coefficients)
    assert lines[5].startswith(f"g1(z)={rest[2]:.4g}z3")
    assert lines[5].endswith(f"{constant:.4g}".replace("-", "−"))
    assert lines[2] == "z1=0.9487p1+0.3162p2"
    assert page_latex(source).startswith("\\begin{aligned}\nf_{1} &= ")


def page_latex(source):
    return re.search(r'class="latex".*?<code>(.*?)</code>', source, re.S)[1].replace("&amp;", "&")


@pytest.mark.parametrize(
    "text",
    [
        "2 z^2 - 15.1",
        "-3 tanh(0.5 (z - 2)) + 1",
        "1.5 exp(-(3 (z + 1))^2)",
        "z + 2 max(0, z - 0.3)",
    ],
)
def test_plain_shapes_are_set_as_they_are_written(text):
    row = ElementTree.fromstring(from_text(text))
    assert "".join(row.itertext()) == text.replace(" ", "").replace("^", "").replace("-", "−")
    assert len(list(row.iter("msup"))) == text.count("^")


def test_a_range_far_from_zero_is_written_about_its_middle(tmp_path):
    points = 1e6 + np.linspace(-1, 1, 50)[:, None]
    d = unbraid.decouple(
        lambda p: (p - 1e6) ** 2, points, n_branches=1, basis=Polynomial(2), random_state=0
    )
    page = report(d, tmp_path / "far.html").read_text(encoding="utf-8")
    math = ElementTree.fromstring(re.search(r"<math.*?</math>", page, re.S)[0])
    assert "(z−106)2" in "".join(math.itertext())


def test_a_poor_fit_is_called_poor(toy, toy_page, tmp_path):
    assert "poor approximation" not in Page(toy_page).text
    poor = Page(report(replace(toy, held_out_error=np.array([30.0, 8.0])), tmp_path / "a.html"))
    assert "This is a poor approximation: on average it misses the outputs by 19 %" in poor.text
    nan = Page(report(replace(toy, held_out_error=np.full(2, np.nan)), tmp_path / "b.html"))
    assert "Its error is not known" in nan.text
    constant = Page(
        report(replace(toy, held_out_error=np.array([1.0, np.inf])), tmp_path / "c.html")
    )
    assert "Constant outputs are missed: f2." in constant.text
    unknown = replace(toy, held_out_error=None, fitted_error=None, residuals=None, origin="")
    page = Page(report(unknown, tmp_path / "d.html"))
    assert "how far it is off was not measured" in page.text
    assert "does not say how it was obtained" in page.text


def test_residuals_are_taken_where_the_data_are(toy, samples, tmp_path):
    page = Page(report(toy, tmp_path / "a.html", data=samples))
    assert "error on the data given" in page.text
    bare = replace(toy, residuals=None)
    none = Page(report(bare, tmp_path / "b.html"))
    assert "This model keeps no residuals" in none.text
    assert not none.all("figure", "residuals")
    shifted = Page(report(bare, tmp_path / "c.html", data=(samples.points, samples.values + 1e4)))
    assert "poor approximation" in shifted.text
    assert len(shifted.all("figure", "residuals")) == 2


def test_branches_without_points_or_band_are_shown(toy, tmp_path):
    branches = tuple(replace(b, estimate=None, band=None) for b in toy.branches)
    page = Page(report(replace(toy, branches=branches, spread=None), tmp_path / "bare.html"))
    assert "over an even spread of every z" in page.text
    assert len(page.all("path", "curve")) == 3
    assert not page.all("path", "band")
    assert not page.all("path", "density")


def test_many_inputs_and_outputs_are_counted(tmp_path, rng):
    direction = rng.standard_normal((40, 2))
    points = rng.standard_normal((100, 40))
    f = lambda p: np.tanh(p @ direction @ np.ones((2, 8)) / 9) * np.arange(1, 9)  # noqa: E731
    d = unbraid.decouple(f, points, n_branches=1, basis=BSpline(8), random_state=0)
    page = Page(report(d, tmp_path / "many.html", names=[f"input {k}" for k in range(40)]))
    assert "and 28 more" in page.text
    assert "The first 6 of 8 outputs are shown" in page.text
    assert len(page.all("rect", "bar")) == 12 + 8


def test_a_regressor_is_judged_by_cross_validation(tmp_path):
    sklearn = pytest.importorskip("sklearn.datasets")
    pytest.importorskip("pandas")  # whose columns have names
    X, y = sklearn.load_diabetes(return_X_y=True, as_frame=True)
    X, y = X[["bmi", "s5"]][:60], y[:60]
    model = unbraid.DecoupledRegressor(1, basis=Polynomial(3), n_folds=2, random_state=0)
    with pytest.raises(InvalidOption, match="not fitted"):
        report(model, tmp_path / "a.html")
    page = Page(report(model.fit(X, y), tmp_path / "a.html"))
    assert "cross-validated error" in page.text
    assert "poor approximation" in page.text
    assert "bmi" in page.text
    assert not page.all("figure", "residuals")
    fitted = Page(report(model, tmp_path / "b.html", data=(X, y), outputs=["progression"]))
    assert "progression" in fitted.text
    assert len(fitted.all("figure", "residuals")) == 1


# dynamic models


def test_a_narx_model_is_simulated(narx, narx_page, records, tmp_path):
    page = Page(narx_page)
    percent = narx.score(*records.test).percent
    assert f"simulation error on the data given {percent:.1f} %" in page.text
    assert "y(t-1)" in page.text
    assert "unbraid.narx.load" in page.text
    assert len(page.all("path", "measured")) == 1
    training = Page(report(narx, tmp_path / "own.html"))
    assert "on the training record, 3,000 samples" in training.text
    without = Page(report(replace(narx, data=None), tmp_path / "none.html"))
    assert not without.all("path", "measured")
    assert "unbraid.report(..., data=(u, y))" in without.text


def test_a_model_that_runs_off_says_so(narx, records, tmp_path):
    wild = replace(narx, function=replace(narx.function, V=3 * narx.function.V))
    page = Page(report(wild, tmp_path / "wild.html", data=tuple(records.test)))
    assert "This model runs off in simulation" in page.text
    assert "The simulation runs off at sample" in page.text


def test_no_peak_is_lost_in_a_long_record():
    signal = np.zeros(50_000)
    signal[12_345] = 1.0
    flat, spiky = overview(signal, 0 * signal, [signal.size], "y")[:2]
    path = re.search(r'class="error filled" d="([^"]+)"', spiky)[1]
    heights = [float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", path)]
    assert len(heights) < 2000
    assert min(heights) < 45 < 90 < max(heights)
    assert "measured filled" in flat


# scans


def test_a_scan_shows_its_pick_and_lists_all(scan, scan_page):
    page = Page(scan_page)
    best = f"model-{scan.best_row().index}"
    shown = [a["id"] for a in page.all("article") if "hidden" not in a]
    assert shown == [best]
    assert len(page.all("article")) == 6
    assert len(page.all("a", "point")) == 12
    assert {a["data-model"] for a in page.all("a", "point") if "aria-current" in a} == {best}
    assert "23 numbers (the model itself has 14)" in page.text
    assert f"scan[{scan.best_row().index}].model" in page.text
    assert 'load_scan("scan.db")' in page.text
    assert len(page.all("tr")) >= 7


def test_failed_rows_and_warnings_are_in_the_table(scan, tmp_path):
    broken = replace(
        scan.rows[0], failure="<b>no luck</b>", document=None, fitted_error=None,
        held_out_error=None, n_parameters=None, compression=None,
    )  # fmt: skip
    loud = replace(scan.rows[1], warnings=("did not settle",))
    page = Page(report(replace(scan, rows=(broken, loud, *scan.rows[2:])), tmp_path / "a.html"))
    assert "failed: <b>no luck</b>" in page.text
    assert page.text.count("did not settle") == 2
    assert len(page.all("article")) == 5
    none = Page(report(replace(scan, rows=(broken,)), tmp_path / "b.html"))
    assert "No model came out" in none.text
    assert not none.all("article")


def test_errors_of_any_size_are_drawn(scan, tmp_path):
    errors = (0.0, 1e-14, np.inf, 1e3, 5.0)
    rows = [replace(row, held_out_error=e) for row, e in zip(scan.rows, errors, strict=False)]
    page = Page(report(replace(scan, rows=tuple(rows)), tmp_path / "a.html"))
    assert len(page.all("a", "point")) == 10
    circles = np.array([[float(a["cx"]), float(a["cy"])] for a in page.all("circle", "halo")])
    assert circles.min() > 0
    assert circles.max() < 460
    assert "nan" not in page.source.split("</style>")[1].split("<script")[0].lower().split()


@pytest.mark.slow
def test_of_very_many_models_the_best_have_a_section(scan, tmp_path):
    best = scan.best_row()
    copies = [
        replace(scan.rows[k % 6], index=k, held_out_error=1.0 + k, settings={"method": f"m{k % 9}"})
        for k in range(6, 76)
    ]
    many = replace(scan, rows=(*scan.rows, *copies))
    page = Page(report(many, tmp_path / "many.html"))
    assert len(page.all("article")) <= 60
    assert f"model-{best.index}" in {a["id"] for a in page.all("article")}
    faint = len(page.all("g", "faint"))
    assert faint == 2 * (76 - len(page.all("article")))
    assert "faint points are not" in page.text


def test_a_narx_scan_has_a_reference(narx, tmp_path):
    row = unbraid.scans.Row(
        0, {"method": "varpro"}, 2, 1.0, 2.0, 19, 17, 2.9, 0.1, (1.0,), (2.0,), (), "",
        narx.to_dict(), narx.data, (),
    )  # fmt: skip
    scan = Scan((row,), "narx", "NARX model", 56, (1.4, 1.5), None)
    page = Page(report(scan, tmp_path / "narx.html"))
    assert len(page.all("path", "reference")) == 3
    assert "the coupled model, 1.5 %" in page.text
    assert "simulation error on the test record" in page.text
    assert 'unbraid.narx.load("model-0.json")' in page.text


# what is refused


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"result": 3}, InvalidOption, "no report"),
        ({"title": 3}, InvalidOption, "title"),
        ({"names": ["a"]}, InvalidOption, "names is"),
        ({"outputs": "ab"}, InvalidOption, "outputs is"),
        ({"data": 3}, InvalidOption, "pair"),
        ({"data": (np.zeros((4, 3)), np.zeros((4, 2)))}, InvalidSamples, "needs"),
        ({"data": (np.zeros((4, 2)), np.full((4, 2), np.nan))}, InvalidSamples, "NaN"),
        ({"path": None}, InvalidOption, "path"),
        ({"path": "no/such/folder/a.html"}, InvalidFile, "cannot write"),
        ({"path": "/"}, InvalidFile, "folder"),
        ({"path": "a\0.html"}, InvalidFile, "cannot hold"),
    ],
)
def test_bad_input_is_refused_in_words(toy, tmp_path, options, error, words):
    arguments = {"result": toy, "path": tmp_path / "a.html", **options}
    with pytest.raises(error, match=words):
        report(arguments.pop("result"), arguments.pop("path"), **arguments)
    assert not list(tmp_path.iterdir())


def test_a_coupled_narx_model_is_refused(narx, tmp_path):
    with pytest.raises(InvalidOption, match="decouple"):
        report(NARX(lambda p: p[:, :1], (0,), (1,)), tmp_path / "a.html")
    with pytest.raises(InvalidOption, match="pair"):
        report(narx, tmp_path / "a.html", data=3)


def test_an_older_page_stays_when_the_new_one_fails(toy, tmp_path):
    path = tmp_path / "a.html"
    path.write_text("old")
    with pytest.raises(InvalidOption):
        report(toy, path, names=["a"])
    assert path.read_text() == "old"
    report(toy, path)
    assert [p.name for p in tmp_path.iterdir()] == ["a.html"]


# numbers and colours


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (-1e9, 1e9), (1e-9, 3e-9), (1e9, 1e9 + 1), (-0.37, 0.02), (5, 5.001)]
)
def test_ticks_are_round_few_and_told_apart(low, high):
    ticks = nice_ticks(low, high, 4)
    assert 2 <= len(ticks) <= 7
    assert low - 1e-9 * abs(low) <= ticks[0] < ticks[-1] <= high * (1 + 1e-9)
    labels, _ = tick_labels(ticks)
    assert len(set(labels)) == len(labels)
    assert max(map(len, labels)) <= 6


def luminance(colour):
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


@pytest.mark.parametrize("mode", [0, 1])
def test_text_has_contrast_in_both_modes(mode):
    style = files("unbraid.report").joinpath("style.css").read_text()
    blocks = re.findall(r":root \{(.*?)\}", style, re.S)
    colours = dict(re.findall(r"--([\w-]+): (#\w{6})", blocks[mode]))
    for ground in ("paper", "sheet", "hush", "alarm"):
        for name in ("ink", "soft", "link", "good", "fair", "poor"):
            pair = sorted([luminance(colours[name]), luminance(colours[ground])])
            assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5, (name, ground)


# in a browser


@pytest.fixture(scope="module")
def driver():
    if browser.missing():
        pytest.skip(browser.missing())
    with browser.chromium() as found:
        yield found


def visit(driver, path, fragment="", **look):
    browser.emulate(driver, **look)
    driver.get("about:blank")
    driver.get_log("browser")
    browser.requests(driver)
    driver.get(path.as_uri() + fragment)


def visible(driver):
    articles = "return [...document.querySelectorAll('article')]"
    return driver.execute_script(articles + ".filter(a => a.offsetHeight).map(a => a.id)")


def press(driver, key):
    from selenium.webdriver import ActionChains

    ActionChains(driver).send_keys(key).perform()


@pytest.mark.slow
def test_pages_render_ask_for_nothing_and_do_not_complain(
    driver, toy_page, scan_page, narx_page, hostile_page
):
    for path in (toy_page, scan_page, narx_page, hostile_page):
        visit(driver, path)
        assert len(visible(driver)) == 1
        empty = (
            "return [...document.querySelectorAll('article:not([hidden]) :is(svg, math)')]"
            ".filter(e => e.getBoundingClientRect().width < 20).length"
        )
        assert driver.execute_script(empty) == 0
        assert driver.get_log("browser") == []
        asked = browser.requests(driver)
        assert asked
        assert all(url.split("#")[0] == path.as_uri() or url.startswith("data:") for url in asked)
        assert driver.execute_script("return window.hacked") is None


@pytest.mark.slow
def test_foreign_scripts_do_not_run(driver, toy_page):
    visit(driver, toy_page)
    driver.execute_script(
        "const s = document.createElement('script'); s.textContent = 'window.hacked = 1';"
        "document.body.append(s)"
    )
    assert driver.execute_script("return window.hacked") is None
    assert "Content Security Policy" in driver.get_log("browser")[0]["message"]


@pytest.mark.slow
def test_a_click_picks_a_model(driver, scan, scan_page):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.select import Select

    best = f"model-{scan.best_row().index}"
    visit(driver, scan_page)
    assert visible(driver) == [best]
    driver.find_elements(By.CSS_SELECTOR, "a.point[data-model='model-1'] .marker")[1].click()
    assert visible(driver) == ["model-1"]
    assert driver.current_url.endswith("#model-1")
    marked = driver.find_elements(By.CSS_SELECTOR, "a.point[aria-current]")
    assert [m.get_attribute("data-model") for m in marked] == ["model-1", "model-1"]
    choice = Select(driver.find_element(By.ID, "choice"))
    assert choice.first_selected_option.get_attribute("value") == "model-1"
    choice.select_by_value("model-3")
    assert visible(driver) == ["model-3"]
    driver.find_element(By.CSS_SELECTOR, "td a, th a[data-model='model-0']").click()
    assert visible(driver) == ["model-0"]
    driver.back()
    assert visible(driver) == ["model-3"]
    visit(driver, scan_page, "#model-4")
    assert visible(driver) == ["model-4"]
    visit(driver, scan_page, "#<script>")
    assert visible(driver) == [best]
    assert driver.get_log("browser") == []


@pytest.mark.slow
def test_keys_pick_a_model(driver, scan_page):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    visit(driver, scan_page)
    here = "return document.activeElement.dataset.model"
    for _ in range(3):
        press(driver, Keys.TAB)
        if driver.execute_script(here):
            break
    focused = [driver.execute_script(here)]
    assert focused == visible(driver)
    press(driver, Keys.HOME)
    for _ in range(5):
        focused.append(driver.execute_script(here))
        press(driver, Keys.ARROW_RIGHT)
    assert len(set(focused)) >= 5
    target = driver.execute_script(here)
    press(driver, Keys.SPACE)
    assert visible(driver) == [target]
    press(driver, Keys.ARROW_LEFT)
    target = driver.execute_script(here)
    press(driver, Keys.ENTER)
    assert visible(driver) == [target]
    stops = driver.find_elements(By.CSS_SELECTOR, "a.point[tabindex='0']")
    assert len(stops) == 2  # one a picture: Tab does not go through all points


@pytest.mark.slow
def test_the_table_sorts_and_code_is_copied(driver, scan_page):
    from selenium.webdriver.common.by import By

    visit(driver, scan_page)
    rows = "return [...document.querySelectorAll('.sortable tbody tr')]"
    column = rows + ".map(row => +row.children[4].dataset.sort)"
    head = driver.find_elements(By.CSS_SELECTOR, ".sortable .sort")[4]
    head.click()
    assert driver.execute_script(column) == sorted(driver.execute_script(column))
    head.click()
    assert driver.execute_script(column) == sorted(driver.execute_script(column), reverse=True)
    button = driver.find_element(By.CSS_SELECTOR, "article:not([hidden]) .latex .copy")
    driver.execute_script(
        "const b = arguments[0]; window.said = new Promise(done => new MutationObserver("
        "() => done(b.textContent)).observe(b, {childList: true}))",
        button,
    )
    button.click()
    said = driver.execute_async_script("window.said.then(arguments[0])")
    assert said in ("Copied", "Selected")


@pytest.mark.slow
def test_no_page_is_wider_than_a_phone(driver, toy_page, scan_page, narx_page, hostile_page):
    for path in (toy_page, scan_page, narx_page, hostile_page):
        visit(driver, path, width=360)
        widths = "const e = document.documentElement; return [e.scrollWidth, e.clientWidth]"
        assert driver.execute_script(widths) == [360, 360]


@pytest.mark.slow
def test_dark_mode_is_dark_and_paper_is_white(driver, scan_page):
    ground = "return getComputedStyle(document.body).backgroundColor"
    visit(driver, scan_page)
    light = driver.execute_script(ground)
    browser.emulate(driver, dark=True)
    dark = driver.execute_script(ground)
    assert sum(map(int, re.findall(r"\d+", dark))) < 120 < sum(map(int, re.findall(r"\d+", light)))
    browser.emulate(driver, dark=True, medium="print")
    assert driver.execute_script(ground) == "rgb(255, 255, 255)"
    assert len(visible(driver)) == 1
    hidden = (
        "return [...document.querySelectorAll('button.copy, select')].every(e => !e.offsetHeight)"
    )
    assert driver.execute_script(hidden)
    pdf = base64.b64decode(driver.execute_cdp_cmd("Page.printToPDF", {})["data"])
    assert pdf.startswith(b"%PDF")
    browser.emulate(driver)
