"""Results and their pages, made once for all tests of reports."""

from dataclasses import replace

import pytest

import browser
import unbraid
from report_helpers import HOSTILE
from unbraid.bases import Polynomial
from unbraid.cases import duffing, toy_samples
from unbraid.narx import fit_polynomial_narx
from unbraid.reports import report


@pytest.fixture(scope="session")
def samples():
    return toy_samples(100, random_state=0)


@pytest.fixture(scope="session")
def toy(samples):
    return unbraid.decouple(samples, n_branches=3, basis=Polynomial(3), random_state=0)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="session")
def toy_page(toy, folder):
    return report(toy, folder / "toy.html", title="The toy problem")


@pytest.fixture(scope="session")
def scan(samples, folder):
    return unbraid.scan(
        samples, n_branches=[1, 2, 3], degree=3, method=["varpro", "cpd"], n_starts=2,
        progress=False, store=folder / "scan.db", coupled_parameters=14,
    )  # fmt: skip


@pytest.fixture(scope="session")
def scan_page(scan, folder):
    return report(scan, folder / "scan.html")


@pytest.fixture(scope="session")
def records():
    return duffing(3000, 1000, random_state=0)


@pytest.fixture(scope="session")
def narx(records):
    reference = fit_polynomial_narx(
        *records.train, input_lags=(0, 1), output_lags=(1, 2, 3), degree=3
    )
    return reference.decouple(n_branches=2, random_state=0)


@pytest.fixture(scope="session")
def narx_page(narx, records, folder):
    return report(narx, folder / "narx.html", data=tuple(records.test))


@pytest.fixture(scope="session")
def hostile_page(toy, folder):
    options = {"title": HOSTILE[0], "names": HOSTILE, "outputs": HOSTILE[::-1]}
    return report(replace(toy, origin=HOSTILE[0]), folder / "hostile.html", **options)


@pytest.fixture(scope="session")
def driver():
    if browser.missing():
        pytest.skip(browser.missing())
    with browser.chromium() as found:
        yield found
