"""A page as a parser sees it and as a browser shows it; small functions to report."""

import base64
import re
from html.parser import HTMLParser

import numpy as np

import browser
from unbraid import DecoupledFunction, Polynomial
from unbraid.model._branch import Branch
from unbraid.model._curves import Expansion

HOSTILE = [
    '<script>window.hacked = 1</script>"\'><img src=x onerror="window.hacked = 1">',
    "</title></style></svg></script><svg onload='window.hacked=1'>" + "x" * 10_000 + "\n\u202eleft",
]
Z = np.linspace(-1, 1, 30)


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


def read_text(path):
    """The words on a page, without its programs."""
    page = re.sub(r"<(script|style).*?</\1>", "", path.read_text(encoding="utf-8"), flags=re.S)
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def make_branch(*coefficients, extrapolate="linear"):
    curve = Expansion(Polynomial(len(coefficients)).bind(Z), np.array(coefficients))
    return Branch(curve, extrapolate)


def make_function(n_inputs, n_outputs, n_branches, rng, extrapolate="linear"):
    branches = tuple(
        make_branch(1.0, 0.2, 0.1 * i, extrapolate=extrapolate) for i in range(n_branches)
    )
    V = rng.standard_normal((n_inputs, n_branches))
    W = rng.standard_normal((n_outputs, n_branches))
    return DecoupledFunction(W, V, branches, np.ones(n_outputs))


def visit(driver, path, fragment="", **look):
    """Open a page in a browser with empty logs."""
    browser.emulate(driver, **look)
    driver.get("about:blank")
    driver.get_log("browser")
    browser.requests(driver)
    driver.get(path.as_uri() + fragment)


def press(driver, key):
    """Press a key where the focus is."""
    from selenium.webdriver import ActionChains

    ActionChains(driver).send_keys(key).perform()


def read_chart(driver, plot):
    """Names and numbers that a chart shows at its cursor; empty without one."""
    script = """
    const box = arguments[0].parentNode.querySelector('.readout');
    if (!box || box.hidden) return [];
    return [...box.querySelectorAll('span')].map(e => [e.querySelector('b').textContent,
      e.textContent.slice(e.querySelector('b').textContent.length).trim()])"""
    return {name: read_number(text) for name, text in driver.execute_script(script, plot)}


def read_number(text):
    """A number as the page writes it; other text as it is."""
    raised = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    match = re.fullmatch(r"([−\d.]+)(?:·10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?(?: .*)?", text)
    if match is None:
        return text
    return float(match[1].replace("−", "-")) * 10.0 ** int((match[2] or "⁰").translate(raised))


def unfold(driver):
    """Open all folded sections of the page."""
    driver.execute_script(
        "for (const e of document.querySelectorAll('details.section')) e.open = true"
    )
