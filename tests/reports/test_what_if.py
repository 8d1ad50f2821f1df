"""Sliders and responses of the page, in a real browser."""

import json

import numpy as np
import pytest

import browser
from report_helpers import press, read_number, visit
from unbraid.model._panels import list_panels
from unbraid.reports import report

pytestmark = pytest.mark.slow


def read_outputs(driver):
    script = "return [...document.querySelectorAll('.number')].map(e => e.textContent)"
    return np.array([read_number(text) for text in driver.execute_script(script)])


def read_point(driver):
    script = (
        "return [...document.querySelectorAll('.slider input[type=number]')].map(e => +e.value)"
    )
    return np.array(driver.execute_script(script))


def read_marks(driver):
    """The label of every chart of a term, and where its mark is in values of the axes."""
    script = """
    return [...document.querySelectorAll('.term .plot')].filter(e => e.querySelector('.diamond'))
      .map(e => [e.getAttribute('aria-label'), e.dataset.chart,
                 e.querySelector('.diamond').getAttribute('d').match(/[-\\d.]+/g).slice(0, 2)])"""
    found = []
    for label, text, place in driver.execute_script(script):
        data = json.loads(text)
        left, right, bottom, top = data["box"]
        (x_low, x_high, _), (y_low, y_high, _) = data["x"], data["y"]
        a, b = map(float, place)
        x = x_low + (a - left) * (x_high - x_low) / (right - left)
        y = y_low + (b - bottom) * (y_high - y_low) / (top - bottom)
        found.append((label, x, y, x_high - x_low, y_high - y_low))
    return found


def check_everything(driver, d):
    """Outputs and marks belong to the point that the sliders show."""
    point = read_point(driver)[None]
    np.testing.assert_allclose(read_outputs(driver), d(point)[0], rtol=1e-3)
    description = d.describe()
    marks = read_marks(driver)
    panels, _ = list_panels(description, d.points)
    places = [
        [float(part.evaluate(d, description.form, point)[0]) for part in panel.place]
        for panel in panels
    ]
    assert len(marks) == len(panels)
    for _, x, y, width, height in marks:
        near = [abs(x - a) < 0.01 * width and abs(y - b) < 0.01 * height for a, b in places]
        assert any(near)


def test_sliders_move_outputs_marks_and_contributions(driver, toy, toy_page):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    visit(driver, toy_page)
    check_everything(driver, toy)
    before, fall = read_outputs(driver), "return document.querySelector('.waterfall').ariaLabel"
    told = driver.execute_script(fall)
    first, second = driver.find_elements(By.CSS_SELECTOR, ".slider input[type=range]")
    driver.execute_script("arguments[0].focus()", first)
    for _ in range(12):
        press(driver, Keys.ARROW_RIGHT)
    assert not np.allclose(read_outputs(driver), before)
    assert driver.execute_script(fall) != told
    check_everything(driver, toy)
    browser.press_element(driver, second, 0.8)
    check_everything(driver, toy)
    field = driver.find_elements(By.CSS_SELECTOR, ".slider input[type=number]")[0]
    field.clear()
    field.send_keys("0.25")
    assert read_point(driver)[0] == 0.25
    check_everything(driver, toy)
    driver.find_element(By.CSS_SELECTOR, "button[aria-label^='Reset to the medians']").click()
    np.testing.assert_allclose(read_outputs(driver), before)
    assert driver.get_log("browser") == []


def test_contributions_add_up(driver, toy_page):
    visit(driver, toy_page)
    label = driver.execute_script("return document.querySelector('.waterfall').ariaLabel")
    *steps, total = [read_number(part.rsplit(" ", 1)[1]) for part in label.split("; ")]
    assert sum(steps) == pytest.approx(total, abs=1e-3 * max(map(abs, steps)))
    assert label.startswith("offset")


def test_a_point_beyond_the_data_is_marked(driver, toy_page):
    from selenium.webdriver.common.by import By

    visit(driver, toy_page)
    note = driver.find_element(By.CSS_SELECTOR, ".beyond-note")
    assert note.text == ""
    field = driver.find_elements(By.CSS_SELECTOR, ".slider input[type=number]")[0]
    field.clear()
    field.send_keys("99")
    assert "Beyond the data" in note.text
    assert driver.find_elements(By.CSS_SELECTOR, ".slider.beyond")


def test_a_click_on_a_map_moves_its_inputs(driver, toy, toy_page):
    visit(driver, toy_page)
    (plot, *_) = driver.find_elements("css selector", ".plot.pick")
    data = json.loads(plot.get_attribute("data-chart"))
    left, right, bottom, top = data["box"]
    browser.click(driver, plot, left + 0.25 * (right - left), bottom + 0.75 * (top - bottom))
    place = [low + share * (high - low) for share, (low, high, _) in
             zip((0.25, 0.75), (data["x"], data["y"]), strict=True)]  # fmt: skip
    np.testing.assert_allclose(read_point(driver), place, atol=0.02)
    check_everything(driver, toy)


def read_lines(driver, index):
    """The lines of a response chart: name and values by time."""
    script = """
    const chart = document.querySelectorAll('.responses .plot')[arguments[0]];
    const reader = chart.closest('.frame').querySelector('.values');
    reader.open = true;
    const cells = row => [...row.children].map(e => e.textContent);
    return new Promise(done => setTimeout(() => done(
      [...reader.querySelectorAll('tr')].map(cells))));"""
    head, *rows = driver.execute_script(script, index)
    return head, np.array([[read_number(cell) for cell in row] for row in rows])


def test_step_response_is_that_of_the_simulation(driver, narx, narx_page):
    visit(driver, narx_page)
    head, table = read_lines(driver, 0)
    _, levels = read_lines(driver, 1)
    assert head[1] == "y"
    base, top = levels[0, 1], levels[-1, 1]
    rest, rise = 400, int(table[-1, 0]) + 1
    u = np.concatenate([np.full(rest, base), np.full(rise, top)])
    expected = narx.simulate(u, np.zeros(3)).ravel()[rest:]
    after = table[table[:, 0] >= 0]
    size = np.abs(expected).max()
    np.testing.assert_allclose(after[:, 1], expected[after[:, 0].astype(int)], atol=2e-3 * size)


def test_responses_follow_their_controls(driver, narx_page):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.select import Select

    visit(driver, narx_page)
    _, before = read_lines(driver, 0)
    field = driver.find_element(By.CSS_SELECTOR, ".responses input[type=number]")
    amplitude = float(field.get_attribute("value"))
    field.clear()
    field.send_keys(str(amplitude / 10))
    _, small = read_lines(driver, 0)
    assert np.nanmax(small[:, 1]) < 0.3 * np.nanmax(before[:, 1])
    np.testing.assert_allclose(small[-1, 1], small[-1, 2], rtol=0.05)  # nearly linear
    Select(driver.find_element(By.CSS_SELECTOR, ".responses select")).select_by_visible_text("sine")
    _, wave = read_lines(driver, 1)
    assert wave[:, 1].min() < wave[0, 1] < wave[:, 1].max()
    assert driver.get_log("browser") == []


def test_values_beyond_a_branch_are_unknown(driver, toy, tmp_path):
    from dataclasses import replace

    branches = tuple(replace(branch, extrapolate="nan") for branch in toy.branches)
    visit(driver, report(replace(toy, branches=branches), tmp_path / "nan.html"))
    assert np.isfinite(read_outputs(driver)).all()
    field = driver.find_elements("css selector", ".slider input[type=number]")[0]
    field.clear()
    field.send_keys("99")
    texts = driver.execute_script(
        "return [...document.querySelectorAll('.number')].map(e => e.textContent)"
    )
    assert set(texts) == {"unknown"}
    assert driver.get_log("browser") == []


def test_constant_inputs_stay(driver, rng, tmp_path):
    import unbraid

    points = np.column_stack([rng.uniform(-1, 1, 100), np.full(100, 3.0)])
    d = unbraid.decouple(
        lambda p: np.sin(p[:, :1]) * p[:, 1:], points, n_branches=1, random_state=0
    )
    visit(driver, report(d, tmp_path / "constant.html"))
    disabled = "return [...document.querySelectorAll('.slider input')].map(e => e.disabled)"
    assert driver.execute_script(disabled) == [False, False, True, True]
    np.testing.assert_allclose(read_outputs(driver), d(read_point(driver)[None])[0], rtol=1e-3)


def test_pages_without_sliders_or_points(driver, toy, tmp_path):
    from dataclasses import replace

    bare = replace(toy, points=None, spread=None, residuals=None, held_out_error=None)
    visit(driver, report(bare, tmp_path / "bare.html"))
    values = read_outputs(driver)
    np.testing.assert_allclose(values, toy(read_point(driver)[None])[0], rtol=1e-3)
    assert driver.get_log("browser") == []
