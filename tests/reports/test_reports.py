"""The contents of a page, and results that are refused."""

import base64
import re
from dataclasses import replace
from hashlib import sha256
from importlib.resources import files

import numpy as np
import pytest

import unbraid
from report_helpers import Page, make_branch, make_function, read_text
from unbraid import DecoupledFunction
from unbraid.bases import BSpline, CustomBasis, Polynomial
from unbraid.errors import InvalidFileError, InvalidOptionError, InvalidSamplesError
from unbraid.model._branch_fit import fit_branch
from unbraid.narx import NARX
from unbraid.reports import report


def test_page_shows_the_model(toy, toy_page):
    page = Page(toy_page)
    assert page.all("html")[0]["lang"] == "en"
    assert page.inside("h1") == "The toy problem"
    assert "3 branches, 23 parameters, held-out error" in page.text
    assert all(sentence in page.text for sentence in toy.describe().sentences)
    assert toy.origin.splitlines()[0] in page.text
    assert len(page.all("figure", "term")) == 4  # an interaction and its three directions
    folded = len(page.all("details", "section"))
    assert folded == 6  # terms, formula, branches as stored, errors, origin, file
    assert len(page.all("figure", "card")) == 4 + 3  # with the branches as they are stored
    assert len(page.all("path", "curve")) == 3 * 2 + 3  # per direction and output; per branch
    assert len(page.all("rect", "bar")) == 2 * toy.V.size + toy.W.size + toy.V.size
    assert len(page.all("figure", "residuals")) == 2
    assert "The curves continue beyond the data by 100 times the width of the data" in page.text
    assert 'unbraid.load("model.json")' in page.text
    assert all(svg["aria-label"] for svg in page.all("svg"))


def test_policy_allows_only_the_own_script_and_style(scan_page):
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


def test_hostile_names_are_escaped_and_shortened(hostile_page):
    page = Page(hostile_page)
    assert len(page.all("script")) == 1
    assert not page.all("img")
    assert not [key for _, a in page.elements for key in a if key.startswith("on")]
    assert "\u202e" not in page.source
    assert max(len(text) for name, text in page.texts if name in ("h1", "th", "text")) <= 160
    assert any("x" * 1000 in (a.get("title") or "") for a in page.all("th"))


def test_downloaded_file_loads_the_model(toy, toy_page, narx, narx_page, samples, tmp_path):
    path = tmp_path / "model.json"
    path.write_bytes(Page(toy_page).download())
    assert np.array_equal(unbraid.load(path)(samples.points), toy(samples.points))
    assert unbraid.load(path).residuals is not None
    path.write_bytes(Page(narx_page).download())
    u = np.linspace(0, 0.01, 50)
    start = [0.0, 0.0, 0.0]
    assert np.array_equal(unbraid.narx.load(path).simulate(u, start), narx.simulate(u, start))


def test_python_functions_have_no_download(toy, tmp_path):
    z = np.linspace(-1, 1, 50)
    basis = CustomBasis([np.tanh], [lambda z: 1 / np.cosh(z) ** 2])
    branch = fit_branch(basis, z, np.tanh(z))
    d = replace(toy, W=toy.W[:, :1], V=toy.V[:, :1], branches=(branch,))
    page = Page(report(d, tmp_path / "custom.html"))
    assert not page.all("a", "download")
    assert "saturating" in page.text
    assert "tanh" in page.text


def test_poor_and_unknown_errors_are_named(toy, toy_page, tmp_path):
    assert "poor approximation" not in Page(toy_page).text
    poor = Page(report(replace(toy, held_out_error=np.array([30.0, 8.0])), tmp_path / "a.html"))
    assert "This is a poor approximation: on average it misses the outputs by 19 %" in poor.text
    nan = Page(report(replace(toy, held_out_error=np.full(2, np.nan)), tmp_path / "b.html"))
    assert "The error is not known" in nan.text
    constant = Page(
        report(replace(toy, held_out_error=np.array([1.0, np.inf])), tmp_path / "c.html")
    )
    assert "Constant outputs are missed: f2." in constant.text
    unknown = replace(toy, held_out_error=None, fitted_error=None, residuals=None, origin="")
    page = Page(report(unknown, tmp_path / "d.html"))
    assert "the error was not measured" in page.text
    assert "has no record of how it was obtained" in page.text


def test_residuals_are_computed_on_given_data(toy, samples, tmp_path):
    page = Page(report(toy, tmp_path / "a.html", data=samples))
    assert "error on the data given" in page.text
    bare = replace(toy, residuals=None)
    none = Page(report(bare, tmp_path / "b.html"))
    assert "This model stores no residuals" in none.text
    assert not none.all("figure", "residuals")
    shifted = Page(report(bare, tmp_path / "c.html", data=(samples.points, samples.values + 1e4)))
    assert "poor approximation" in shifted.text
    assert len(shifted.all("figure", "residuals")) == 2


def test_branches_without_estimate_or_band_are_shown(toy, tmp_path):
    branches = tuple(replace(b, estimate=None, band=None) for b in toy.branches)
    bare = replace(toy, branches=branches, spread=None, points=None)
    page = Page(report(bare, tmp_path / "bare.html"))
    assert "keeps no points" in page.text
    assert len(page.all("path", "curve")) == 3 * 2 + 3  # per direction and output; per branch
    assert not page.all("path", "band")


def test_further_inputs_and_outputs_are_counted(tmp_path, rng):
    direction = rng.standard_normal((40, 2))
    points = rng.standard_normal((100, 40))
    f = lambda p: np.tanh(p @ direction @ np.ones((2, 8)) / 9) * np.arange(1, 9)  # noqa: E731
    d = unbraid.decouple(f, points, n_branches=1, basis=BSpline(8), random_state=0)
    page = Page(report(d, tmp_path / "many.html", names=[f"input {k}" for k in range(40)]))
    assert "and 28 more" in page.text
    assert "The first 6 of 8 outputs are shown" in page.text
    assert len(page.all("rect", "bar")) == 12 + 12 + 8  # of the term; of the branch


def test_regressor_is_judged_by_cross_validation(tmp_path):
    sklearn = pytest.importorskip("sklearn.datasets")
    pytest.importorskip("pandas")  # whose columns have names
    X, y = sklearn.load_diabetes(return_X_y=True, as_frame=True)
    X, y = X[["bmi", "s5"]][:60], y[:60]
    model = unbraid.DecoupledRegressor(1, basis=Polynomial(3), n_folds=2, random_state=0)
    with pytest.raises(InvalidOptionError, match="not fitted"):
        report(model, tmp_path / "a.html")
    page = Page(report(model.fit(X, y), tmp_path / "a.html"))
    assert "cross-validated error" in page.text
    assert "beside the noise of the data, on average it misses the outputs" in page.text
    assert "bmi" in page.text
    assert page.all("figure", "residuals")  # of the data
    fitted = Page(report(model, tmp_path / "b.html", data=(X, y), outputs=["progression"]))
    assert "progression" in fitted.text
    assert len(fitted.all("figure", "residuals")) == 1


def test_twelve_directions_need_less_than_a_megabyte(rng, tmp_path):
    d = make_function(14, 2, 12, rng)
    points = rng.uniform(-0.5, 0.5, (3000, 14))
    path = report(d, tmp_path / "r.html", data=(points, d(points) + 0.01))
    assert 100_000 < path.stat().st_size < 1_000_000


def test_many_points_are_thinned(toy, rng, tmp_path):
    sizes = []
    for count in (1000, 50_000):
        points = rng.uniform(-1, 1, (count, 2))
        page = report(toy, tmp_path / "r.html", data=(points, toy(points) + 0.1))
        sizes.append(page.stat().st_size)
    assert sizes[1] < 1.05 * sizes[0]


def test_page_omits_what_has_no_room(rng, tmp_path):
    path = report(make_function(150, 15, 8, rng), tmp_path / "r.html")
    text = read_text(path)
    assert "And 3 more outputs." in text
    assert "Copy LaTeX" not in text


def test_branches_with_nan_extrapolation(tmp_path):
    d = DecoupledFunction([[1.0]], [[1.0]], (make_branch(1.0, extrapolate="nan"),), [0.0])
    path = tmp_path / "r.html"
    outside = np.full((5, 1), 9.0)
    with pytest.raises(InvalidOptionError, match="data lies"):
        report(d, path, data=(outside, outside))
    assert not path.exists()
    points = np.linspace(-1, 1.5, 25)[:, None]
    text = read_text(report(d, path, data=(points, points)))
    assert "Beyond the data there are no values." in text
    assert "error on the data given unknown" in text
    assert "at 20 points" in text  # of 25, those within the range


def test_two_data_points_are_enough(rng, tmp_path):
    d = make_function(2, 1, 2, rng)
    points = rng.uniform(-0.5, 0.5, (2, 2))
    text = read_text(report(d, tmp_path / "r.html", data=(points, d(points) + 0.01)))
    assert "Residuals, actual minus fitted, at 2 points." in text


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"result": 3}, InvalidOptionError, "no report"),
        ({"title": 3}, InvalidOptionError, "title"),
        ({"names": ["a"]}, InvalidOptionError, "names is"),
        ({"outputs": "ab"}, InvalidOptionError, "outputs is"),
        ({"data": 3}, InvalidOptionError, "pair"),
        ({"data": (np.zeros((4, 3)), np.zeros((4, 2)))}, InvalidSamplesError, "needs"),
        ({"data": (np.zeros((4, 2)), np.full((4, 2), np.nan))}, InvalidSamplesError, "NaN"),
        ({"path": None}, InvalidOptionError, "path"),
        ({"path": "no/such/folder/a.html"}, InvalidFileError, "cannot write"),
        ({"path": "/"}, InvalidFileError, "folder"),
        ({"path": "a\0.html"}, InvalidFileError, "cannot hold"),
    ],
)
def test_rejects_bad_input(toy, tmp_path, options, error, words):
    arguments = {"result": toy, "path": tmp_path / "a.html", **options}
    with pytest.raises(error, match=words):
        report(arguments.pop("result"), arguments.pop("path"), **arguments)
    assert not list(tmp_path.iterdir())


def test_rejects_coupled_narx_model(narx, tmp_path):
    with pytest.raises(InvalidOptionError, match="decouple"):
        report(NARX(lambda p: p[:, :1], (0,), (1,)), tmp_path / "a.html")
    with pytest.raises(InvalidOptionError, match="pair"):
        report(narx, tmp_path / "a.html", data=3)


def test_existing_page_stays_if_the_new_one_fails(toy, tmp_path):
    path = tmp_path / "a.html"
    path.write_text("old")
    with pytest.raises(InvalidOptionError):
        report(toy, path, names=["a"])
    assert path.read_text() == "old"
    report(toy, path)
    assert [p.name for p in tmp_path.iterdir()] == ["a.html"]


def luminance(colour):
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


@pytest.mark.parametrize("mode", [0, 1])
def test_text_has_contrast_in_both_modes(mode):
    style = files("unbraid.reports").joinpath("style.css").read_text()
    blocks = re.findall(r":root \{(.*?)\}", style, re.S)
    colours = dict(re.findall(r"--([\w-]+): (#\w{6})", blocks[mode]))
    for ground in ("paper", "sheet", "hush", "alarm"):
        for name in ("ink", "soft", "link", "good", "fair", "poor"):
            pair = sorted([luminance(colours[name]), luminance(colours[ground])])
            assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5, (name, ground)
