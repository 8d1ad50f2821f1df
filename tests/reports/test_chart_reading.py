"""Values that are read from charts, zoomed and listed, in a real browser."""

import json
import re

import numpy as np
import pytest

import browser
from report_helpers import press, read_chart, unfold, visit

pytestmark = pytest.mark.slow


def find_charts(driver, selector):
    """The elements of charts in the article that is shown."""
    script = "return [...document.querySelectorAll(arguments[0])].filter(e => e.offsetHeight)"
    return driver.execute_script(script, selector)


def find_axes(driver, plot, data):
    """Left, right, bottom and top of the axes, also where the script drew a wide chart again."""
    left, right, bottom, top = data["box"]
    script = (
        "const b = arguments[0].querySelector('svg').viewBox.baseVal; return [b.width, b.height]"
    )
    width, height = driver.execute_script(script, plot)
    if not plot.find_elements("css selector", "svg.redrawn"):
        return left, right, bottom, top
    return left, width - 12, height - 46, top


def hover(driver, plot, across=0.5, up=0.5):
    """Move the pointer to a place inside the axes of a chart; its values in the units of x, y."""
    box = json.loads(plot.get_attribute("data-chart"))
    left, right, bottom, top = find_axes(driver, plot, box)
    x, y = left + across * (right - left), bottom + up * (top - bottom)
    browser.move(driver, plot, x, y)
    (low, high, log), (least, most, _) = box["x"], box["y"]
    value = low * (high / low) ** across if log else low + across * (high - low)
    return value, least + up * (most - least)


@pytest.mark.parametrize("across", [0.12, 0.5, 0.83])
def test_hover_reads_the_curve_of_the_model(driver, toy, toy_page, across):
    visit(driver, toy_page)
    plots = find_charts(driver, ".term .plot")
    description = toy.describe()
    found = 0
    for plot in plots:
        if "standardised" not in plot.get_attribute("aria-label"):
            continue
        hover(driver, plot, across)
        values = read_chart(driver, plot)
        label = plot.get_attribute("aria-label")
        output = re.match(r"(f\d) against", label)[1]
        direction = next(d for d in description.directions if f"{d.text} (" in label)
        name = next(iter(values))
        assert "standardised" in name
        z, value = values[name], values[f"contribution to {output}"]
        expected = direction.curves[output](z) + direction.slopes[output] * z
        scale = np.ptp(direction.curves[output](direction.z))
        assert value == pytest.approx(float(expected), abs=2e-3 * scale)
        assert "points here" in plot.find_element("xpath", "..").text
        found += 1
    assert found == 6
    assert driver.get_log("browser") == []


def test_hover_reads_an_interaction_and_a_bar(driver, toy, toy_page):
    visit(driver, toy_page)
    (contour, *_) = [p for p in find_charts(driver, ".plot") if "over p1" in label_of(p)]
    hover(driver, contour, 0.7, 0.6)
    values = read_chart(driver, contour)
    points = np.array([[values["p1"], values["p2"]]])
    output = next(name for name in values if name.startswith("contribution to f"))
    column = int(output[-1]) - 1
    middle = toy(points)[0, column] - toy(toy.points)[:, column].mean()
    assert values[output] == pytest.approx(middle, abs=0.01 * np.ptp(toy(toy.points)[:, column]))
    bars = find_charts(driver, ".weights .plot")[0]
    browser.move(driver, bars, 170, 10)
    assert read_chart(driver, bars)["p1"] == pytest.approx(0.94, abs=0.01)


def label_of(plot):
    return plot.get_attribute("aria-label") or ""


def test_keys_read_a_chart(driver, toy_page):
    from selenium.webdriver.common.keys import Keys

    visit(driver, toy_page)
    plot = next(p for p in find_charts(driver, ".term .plot") if "standardised" in label_of(p))
    driver.execute_script("arguments[0].focus()", plot)
    press(driver, Keys.HOME)
    first = read_chart(driver, plot)
    press(driver, Keys.ARROW_RIGHT)
    second = read_chart(driver, plot)
    axis = next(iter(first))
    assert first[axis] < second[axis]
    assert plot.get_attribute("role") == "slider"
    assert plot.get_attribute("aria-valuetext").split(";")[0].split()[-1]
    press(driver, Keys.END)
    assert int(plot.get_attribute("aria-valuenow")) == int(plot.get_attribute("aria-valuemax"))
    press(driver, Keys.ESCAPE)
    assert read_chart(driver, plot) == {}


def test_touch_reads_a_chart(driver, toy_page):
    visit(driver, toy_page, width=390)
    plot = find_charts(driver, ".term .plot")[1]
    browser.touch(driver, plot)
    assert read_chart(driver, plot)


def test_signals_are_read_at_their_samples(driver, narx, records, narx_page):
    visit(driver, narx_page)
    plot = next(p for p in find_charts(driver, ".signals .plot") if "over time" in label_of(p))
    hover(driver, plot, 0.31)
    values = read_chart(driver, plot)
    sample = int(values["sample"])
    u, y = records.test
    assert sample == pytest.approx(0.31 * (len(y) - 1), abs=2)
    simulated = narx.simulate(u, y[:3])
    assert values["measured"] == pytest.approx(float(y[sample]), rel=1e-3)
    assert values["simulated"] == pytest.approx(float(simulated[sample]), rel=1e-3)


def ranges(driver, plot):
    """Texts of the horizontal ticks that are drawn."""
    script = """
    const svg = arguments[0].querySelector('svg');
    return [...svg.querySelectorAll('.tick.middle')].filter(e => e.getBoundingClientRect().width)
      .map(e => Number(e.textContent.replace('−', '-')))"""
    return driver.execute_script(script, plot)


def test_signals_zoom_pan_and_reset(driver, narx_page, records):
    visit(driver, narx_page)
    top, bottom, *_ = find_charts(driver, ".signals .plot")
    before = ranges(driver, top)
    browser.drag(driver, top, (200, 100), (300, 120))
    zoomed = ranges(driver, top)
    assert zoomed[0] > before[0]
    assert zoomed[-1] < before[-1]
    assert ranges(driver, bottom) == zoomed  # the error is zoomed as well
    hover(driver, top, 0.5)
    values = read_chart(driver, top)
    assert zoomed[0] - 200 < values["sample"] < zoomed[-1] + 200
    assert values["measured"] == pytest.approx(
        float(records.test[1][int(values["sample"])]), rel=1e-3
    )
    press_button(driver, top, "Move right")
    assert ranges(driver, top)[0] > zoomed[0]
    press_button(driver, top, "Reset the zoom")
    assert ranges(driver, top) == ranges(driver, bottom) == before
    driver.execute_script("arguments[0].focus()", top)
    press(driver, "+")
    assert ranges(driver, top) != before
    press(driver, "0")
    assert ranges(driver, top) == before
    assert driver.get_log("browser") == []


def test_two_fingers_zoom_and_one_pans(driver, narx_page):
    visit(driver, narx_page, width=390)
    plot = find_charts(driver, ".signals .plot")[0]
    before = ranges(driver, plot)
    browser.pinch(driver, plot, (180, 100), (60, 110, 160))
    zoomed = ranges(driver, plot)
    assert max(zoomed) - min(zoomed) < max(before) - min(before)
    browser.swipe(driver, plot, (220, 100), (140, 100))
    assert ranges(driver, plot)[0] > zoomed[0]
    press_button(driver, plot, "Reset the zoom")
    assert ranges(driver, plot) == before


def press_button(driver, plot, label):
    frame = plot.find_element("xpath", "..")
    frame.find_element("css selector", f"button[aria-label='{label}']").click()


def test_scatter_plots_zoom_and_reset(driver, toy_page):
    visit(driver, toy_page)
    unfold(driver)
    plot = next(p for p in find_charts(driver, ".residuals .plot") if "actual" in label_of(p))
    before = ranges(driver, plot)
    browser.drag(driver, plot, (150, 80), (220, 140))
    assert plot.find_elements("css selector", ".live .marks")
    assert len(set(ranges(driver, plot)) & set(before)) < len(before)
    browser.double_click(driver, plot, 180, 100)
    assert ranges(driver, plot) == before


def test_points_of_a_scan_zoom_and_stay_links(driver, scan_page):
    visit(driver, scan_page)
    plot = find_charts(driver, ".picker .plot")[0]
    marks = (
        "return [...arguments[0].querySelectorAll('a.point')].filter(e => e.getBBox().width).length"
    )
    count = driver.execute_script(marks, plot)
    browser.drag(driver, plot, (60, 40), (200, 200))
    assert driver.execute_script(marks, plot) < count
    press_button(driver, plot, "Reset the zoom")
    assert driver.execute_script(marks, plot) == count
    driver.execute_script("arguments[0].querySelector('a.point').focus()", plot)
    assert "error" in plot.find_element("xpath", "..").text


def test_every_chart_has_a_table(driver, toy_page, narx_page):
    for page in (toy_page, narx_page):
        visit(driver, page)
        unfold(driver)
        for plot in find_charts(driver, ".plot"):
            frame = plot.find_element("xpath", "..")
            summary = frame.find_element("css selector", ".values summary")
            driver.execute_script("arguments[0].click()", summary)
        shown = driver.execute_async_script(
            "const done = arguments[0]; setTimeout(() => done([...document.querySelectorAll("
            "'.values[open]')].map(e => e.querySelectorAll('tbody tr').length)))"
        )
        assert len(shown) == len(find_charts(driver, ".plot"))
        assert all(0 < rows <= 50 for rows in shown)


def test_wide_charts_are_drawn_again_for_a_phone(driver, narx_page):
    visit(driver, narx_page, width=360)
    plot = find_charts(driver, ".signals .plot")[0]
    tick = "return arguments[0].querySelector('.live .tick').getBoundingClientRect().height"
    size = driver.execute_script(tick, plot)
    assert size > 9  # pixels: text that can be read
