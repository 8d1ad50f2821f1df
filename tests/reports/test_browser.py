"""Pages in a real browser."""

import base64
import re

import pytest

import browser
from report_helpers import make_function, press, unfold, visit
from unbraid.reports import report


def visible(driver):
    articles = "return [...document.querySelectorAll('article')]"
    return driver.execute_script(articles + ".filter(a => a.offsetHeight).map(a => a.id)")


@pytest.mark.slow
def test_pages_render_without_requests_or_errors(
    driver, toy_page, scan_page, narx_page, hostile_page
):
    for path in (toy_page, scan_page, narx_page, hostile_page):
        visit(driver, path)
        assert len(visible(driver)) == 1
        empty = (
            "return [...document.querySelectorAll('article:not([hidden]) :is(svg.chart, math)')]"
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
def test_click_selects_a_model(driver, scan, scan_page):
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
def test_keys_select_a_model(driver, scan_page):
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
    assert len(stops) == 2  # one per chart: Tab does not visit all points


@pytest.mark.slow
def test_table_sorts_and_code_is_copied(driver, scan_page):
    from selenium.webdriver.common.by import By

    visit(driver, scan_page)
    unfold(driver)
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
def test_pages_fit_a_phone(driver, toy_page, scan_page, narx_page, hostile_page):
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


@pytest.mark.slow
def test_nothing_is_cut_off_on_a_phone(driver, toy_page, scan_page, narx_page):
    """Every box with content beyond its edge scrolls, and says so."""
    script = """
    const cut = e => e.clientWidth && e.scrollWidth > e.clientWidth + 1;
    const shown = e => e.getBoundingClientRect().width > 1 && !e.closest('.unseen, svg, math');
    return [...document.querySelectorAll('main *, header *')].filter(e => shown(e) && cut(e))
      .filter(e => !(e.matches('.scroll, pre') && e.nextElementSibling?.matches('.hint') &&
                     !e.nextElementSibling.hidden))
      .filter(e => !e.parentElement.closest('.scroll, pre'))
      .map(e => e.outerHTML.slice(0, 200))"""
    for path in (toy_page, scan_page, narx_page):
        visit(driver, path, width=360)
        unfold(driver)
        driver.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0]))")
        assert driver.execute_script(script) == [], path.name


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(1, 1, 1), (2, 30, 3), (40, 2, 8)])
def test_functions_of_any_size_are_shown(driver, tmp_path, rng, sizes):
    """One input; many outputs; many inputs; without points, bands or held-out data."""
    d = make_function(*sizes, rng)
    visit(driver, report(d, tmp_path / "page.html"), width=360)
    unfold(driver)
    widths = "const e = document.documentElement; return [e.scrollWidth, e.clientWidth]"
    assert driver.execute_script(widths) == [360, 360]
    shown = "return document.querySelectorAll(arguments[0]).length"
    assert driver.execute_script(shown, ".number") == sizes[1]
    assert driver.execute_script(shown, ".slider") == sizes[0]
    assert driver.execute_script(shown, ".waterfall rect") >= 2
    assert driver.get_log("browser") == []


@pytest.mark.slow
def test_folded_sections_are_printed(driver, toy_page):
    visit(driver, toy_page)
    closed = "return document.querySelectorAll('details.section:not([open])').length"
    assert driver.execute_script(closed) >= 4
    driver.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    assert driver.execute_script(closed) == 0
    driver.execute_script("window.dispatchEvent(new Event('afterprint'))")
    assert driver.execute_script(closed) >= 4


@pytest.mark.slow
def test_pages_are_accessible(driver, toy_page, scan_page, narx_page):
    axe = browser.find_axe()
    if axe is None:
        pytest.skip("no axe-core: npm install --no-save axe-core")
    for path in (toy_page, scan_page, narx_page):
        for dark in (False, True):
            visit(driver, path, dark=dark)
            unfold(driver)
            driver.execute_script(axe)
            found = driver.execute_async_script("axe.run().then(arguments[0])")
            serious = [
                (rule["id"], rule["nodes"][0]["html"][:200], rule["nodes"][0]["failureSummary"])
                for rule in found["violations"]
                if rule["impact"] in ("serious", "critical")
            ]
            assert serious == [], path.name
    browser.emulate(driver)
