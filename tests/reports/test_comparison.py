"""Models of a scan side by side, in a real browser."""

import pytest

from report_helpers import read_number, visit

pytestmark = pytest.mark.slow


def choose(driver, *keys):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.select import Select

    for element, key in zip(
        driver.find_elements(By.CSS_SELECTOR, "select.rival"), keys, strict=False
    ):
        Select(element).select_by_value(key)


def read_rows(driver):
    """Rows of the comparison: name to cells, and the names of those marked as different."""
    script = """
    return [...document.querySelectorAll('.comparison tbody tr')].map(row =>
      [row.className, ...[...row.children].map(cell => cell.textContent)])"""
    rows = driver.execute_script(script)
    cells = {name.removeprefix("≠ "): values for _, name, *values in rows}
    return cells, {name.removeprefix("≠ ") for mark, name, *_ in rows if mark}


def test_models_are_compared_and_differences_marked(driver, scan, scan_page):
    visit(driver, scan_page)
    assert not driver.find_elements("css selector", ".comparison")
    best = scan.best_row()
    other = next(row for row in scan.rows if row.n_branches != best.n_branches)
    choose(driver, f"model-{other.index}")
    cells, different = read_rows(driver)
    assert cells["branches"] == [str(best.n_branches), str(other.n_branches)]
    assert {"branches", "parameters"} <= different
    assert "inputs, outputs" not in different
    third = next(row for row in scan.rows if row not in (best, other))
    choose(driver, f"model-{other.index}", f"model-{third.index}")
    assert all(len(values) == 3 for values in read_rows(driver)[0].values())
    columns = driver.find_elements("css selector", ".side-by-side > h3")
    assert len(columns) == 3
    choose(driver, "", "")
    assert not driver.find_elements("css selector", ".comparison")
    assert driver.get_log("browser") == []


def test_difference_of_the_outputs_is_that_of_the_models(driver, scan, scan_page, samples):
    visit(driver, scan_page)
    best = scan.best_row()
    poor = max(scan.rows, key=lambda row: row.error)
    choose(driver, f"model-{poor.index}")
    (name,) = [name for name in read_rows(driver)[0] if "rms difference" in name]
    told = read_rows(driver)[0][name][1]
    first = read_number(told.split(": ")[1].split(" %")[0])
    values, others = best.model(samples.points), poor.model(samples.points)
    size = 100 * ((values - others)[:, 0] ** 2).mean() ** 0.5 / values[:, 0].std()
    assert 0.3 * size < first < 3 * size


def test_dynamic_models_are_compared_by_their_responses(driver, narx, tmp_path):
    import unbraid
    from unbraid.reports import report
    from unbraid.scans import Scan

    rows = tuple(
        unbraid.scans.Row(
            k, {"method": "varpro"}, 2, 1.0, 2.0, 19, 17, 2.9, 0.1, (1.0,), (2.0,), (), "",
            narx.to_dict(), narx.data, (),
        )
        for k in range(2)
    )  # fmt: skip
    scan = Scan(rows, "narx", "NARX model", 56, (1.4, 1.5), None)
    visit(driver, report(scan, tmp_path / "narx.html"))
    choose(driver, "model-1")
    lines = driver.find_elements("css selector", "#comparison path[class^='line-']")
    assert len(lines) == 2
    assert len({line.get_attribute("d") for line in lines}) == 1
    assert driver.get_log("browser") == []
