"""Limits, messages and clicks of the controls of a page, in a real browser."""

import json
import re

import numpy as np
import pytest

import browser
from report_helpers import read_number, visit
from unbraid.reports import report

pytestmark = pytest.mark.slow
FIELDS = ".slider input[type=number]"


def type_number(field, text):
    field.clear()
    field.send_keys(text)


def read_point(driver):
    script = f"return [...document.querySelectorAll('{FIELDS}')].map(e => +e.value)"
    return np.array(driver.execute_script(script))


def test_printed_limits_are_within_the_data(driver, toy_page):
    visit(driver, toy_page)
    for slider in driver.find_elements("css selector", ".slider"):
        field = slider.find_element("css selector", "input[type=number]")
        for end in slider.find_elements("css selector", ".ends span"):
            type_number(field, str(read_number(end.text)))
            assert "beyond" not in slider.get_attribute("class").split()
        type_number(field, "99")
        assert "beyond" in slider.get_attribute("class").split()
        assert slider.find_element("css selector", ".field-note").text == "Beyond the data."


def test_field_without_a_number_says_what_is_used(driver, toy_page):
    visit(driver, toy_page)
    field = driver.find_elements("css selector", FIELDS)[0]
    before = field.get_attribute("value")
    outputs = [e.text for e in driver.find_elements("css selector", ".number")]
    field.clear()
    note = driver.find_elements("css selector", ".field-note")[0]
    assert re.fullmatch(r"No number: \S+ is still used\.", note.text)
    assert read_number(note.text.split()[2]) == float(before)
    assert [e.text for e in driver.find_elements("css selector", ".number")] == outputs
    field.send_keys("0.2")
    assert note.text == ""
    assert driver.get_log("browser") == []


def find_curve(driver):
    """A chart of a curve along a combination of inputs."""
    script = """return [...document.querySelectorAll('.term .plot.pick')]
      .find(e => e.getAttribute('aria-label').includes('standardised'))"""
    return driver.execute_script(script)


@pytest.mark.parametrize("share", [0.06, 0.4, 0.94])
def test_click_on_a_curve_moves_all_inputs_of_its_direction(driver, toy, toy_page, share):
    visit(driver, toy_page)
    start = read_point(driver)
    plot = find_curve(driver)
    data = json.loads(plot.get_attribute("data-chart"))
    left, right, bottom, top = data["box"]
    browser.click(driver, plot, left + share * (right - left), 0.5 * (bottom + top))
    point = read_point(driver)
    low, high, _ = data["x"]
    form = toy.describe().form
    ((index, weight),) = data["trace"]["x"]["z"]
    z = weight * float((form.standardise(point[None]) @ form.directions[index])[0])
    assert z == pytest.approx(low + share * (high - low), abs=0.02 * (high - low))
    assert np.all(point != start)
    assert np.all(point >= toy.points.min(axis=0))
    assert np.all(point <= toy.points.max(axis=0))


def test_reset_is_visible_beside_the_terms(driver, toy_page):
    visit(driver, toy_page, width=1400)
    script = """
    document.querySelector('.term').scrollIntoView();
    const box = document.querySelector('.reset button').getBoundingClientRect();
    return box.top >= 0 && box.bottom <= innerHeight"""
    assert driver.execute_script(script)


def test_long_names_of_contributions_are_wrapped(driver, toy, tmp_path):
    names = ["temperature [degC]", "viscosity [mPas]"]
    visit(driver, report(toy, tmp_path / "long.html", names=names))
    script = "return [...document.querySelectorAll('.waterfall .name')].map(e => e.textContent)"
    texts = driver.execute_script(script)
    assert any("viscosity" in text for text in texts)
    assert not any("…" in text for text in texts)


def test_amplitude_beyond_the_record_is_named(driver, narx_page):
    visit(driver, narx_page)
    note = driver.find_element("css selector", ".responses .beyond-note")
    amplitude, base = driver.find_elements("css selector", ".responses input[type=number]")[:2]
    type_number(base, "0")
    type_number(amplitude, "0.001")
    assert note.text == ""
    type_number(amplitude, "0.9")
    assert "beyond the record" in note.text
    assert "the model extrapolates" in note.text
    assert driver.get_log("browser") == []


def test_charts_are_compared_by_output_on_one_scale(driver, scan, scan_page):
    from selenium.webdriver.support.select import Select

    visit(driver, scan_page)
    best = scan.best_row()
    other = next(row for row in scan.rows if row.n_branches == 2)
    Select(driver.find_elements("css selector", "select.rival")[0]).select_by_value(
        f"model-{other.index}"
    )
    script = """
    return [...document.querySelectorAll('.side-by-side > .card')].map(card => {
      const title = card.querySelector('.shape'), svg = card.querySelector('svg.chart');
      if (!title) return null;
      const ticks = [...svg.querySelectorAll('.tick.end')].map(e => e.textContent);
      return [title.textContent, Boolean(svg.querySelector('[class^=level]')), ticks.join()];
    })"""
    cells = driver.execute_script(script)
    rows = list(zip(cells[::2], cells[1::2], strict=True))
    assert best.index != other.index
    outputs = []
    for row in rows:
        (output,) = {re.search(r" of (f\d)", cell[0])[1] for cell in row if cell}
        assert len({cell[1] for cell in row if cell}) == 1  # a map beside a map
        outputs.append(output)
    assert outputs == sorted(outputs)
    for name in ("f1", "f2"):
        curves = [c for row in rows for c in row if c and not c[1] and f" of {name}" in c[0]]
        assert len(curves) > 2
        assert len({ticks for *_, ticks in curves}) == 1
    assert driver.get_log("browser") == []


def test_stretched_curve_lies_at_its_values(driver, scan, scan_page):
    """A curve of the comparison has the values of the chart it was made of."""
    from selenium.webdriver.support.select import Select

    visit(driver, scan_page)
    other = next(row for row in scan.rows if row.n_branches == 2)
    Select(driver.find_elements("css selector", "select.rival")[0]).select_by_value(
        f"model-{other.index}"
    )
    script = """
    const card = [...document.querySelectorAll('.side-by-side > .card')]
      .find(e => e.querySelector('path.curve'));
    const curve = card.querySelector('path.curve'), svg = card.querySelector('svg.chart');
    const end = curve.getPointAtLength(curve.getTotalLength());
    const y = end.matrixTransform(curve.transform.baseVal.consolidate().matrix).y;
    const ticks = [...svg.querySelectorAll('.tick.end')]
      .map(e => [e.textContent, Number(e.getAttribute('y')) - 4]);
    return [card.querySelector('.shape').textContent, y, ticks];"""
    title, y, ticks = driver.execute_script(script)
    (low, a), (high, b) = [(read_number(text), place) for text, place in (ticks[0], ticks[-1])]
    shown = low + (y - a) * (high - low) / (b - a)
    description = scan.best_row().model.describe()
    output = re.search(r" of (f\d)", title)[1]
    ends = [
        float(d.curves[output](d.z.max()) + d.slopes[output] * d.z.max())
        for d in description.directions
    ]
    assert min(abs(shown - end) for end in ends) < 0.02 * abs(high - low)
