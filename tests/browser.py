"""A headless Chromium for tests of pages, or the reason why there is none."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)


def missing() -> str:
    """What is not installed; empty when all is."""
    if find_spec("selenium") is None:
        return "no selenium: pip install selenium"
    if not any(map(shutil.which, NAMES)):
        return "no Chromium: install the package chromium"
    return "" if shutil.which("chromedriver") else "no chromedriver: install chromium-driver"


def find_axe() -> str | None:
    """The source of axe-core, which checks accessibility; None where npm has not installed it."""
    folders = [Path(__file__).parents[1] / "node_modules"]
    if shutil.which("npm"):
        root = subprocess.run(["npm", "root", "-g"], capture_output=True, text=True, check=False)
        folders.append(Path(root.stdout.strip()))
    files = [folder / "axe-core" / "axe.min.js" for folder in folders]
    return next((file.read_text(encoding="utf-8") for file in files if file.is_file()), None)


@contextmanager
def chromium() -> Iterator[Any]:
    """A driver with a fresh profile that keeps logs of the console and of the network."""
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ChromeOptions()
        options.binary_location = next(filter(None, map(shutil.which, NAMES)))
        for argument in (*QUIET, f"--user-data-dir={profile}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = Chrome(options=options, service=Service(shutil.which("chromedriver")))
        try:
            yield driver
        finally:
            driver.quit()


def emulate(driver: Any, width: int = 1280, dark: bool = False, medium: str = "screen") -> None:
    """A screen of this width, light or dark, or paper; nothing moves by itself."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [
        {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": medium, "features": features})


def requests(driver: Any) -> list[str]:
    """Addresses asked for since the log was read last."""
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    return [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]


def move(driver: Any, element: Any, x: float, y: float) -> None:
    """Move the mouse to a place of a chart, in the pixels of its drawing."""
    _send(driver, "mouseMoved", _find_place(driver, element, x, y))


def drag(driver: Any, element: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Press the mouse at one place of a chart, move in steps, and release it at another."""
    a, b = (_find_place(driver, element, *place) for place in (start, end))
    _send(driver, "mouseMoved", a)
    _send(driver, "mousePressed", a, button="left", buttons=1, clickCount=1)
    for share in (0.3, 0.7, 1.0):
        place = tuple(p + share * (q - p) for p, q in zip(a, b, strict=True))
        _send(driver, "mouseMoved", place, button="left", buttons=1)
    _send(driver, "mouseReleased", b, button="left", clickCount=1)


def double_click(driver: Any, element: Any, x: float, y: float) -> None:
    """Click twice at a place of a chart."""
    place = _find_place(driver, element, x, y)
    for count in (1, 2):
        _send(driver, "mousePressed", place, button="left", buttons=1, clickCount=count)
        _send(driver, "mouseReleased", place, button="left", clickCount=count)


def touch(driver: Any, element: Any, x: float = 170, y: float = 100) -> None:
    """Put a finger on a place of a chart and lift it."""
    a, b = _find_place(driver, element, x, y)
    for kind, points in (("touchStart", [{"x": a, "y": b}]), ("touchEnd", [])):
        driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def _send(driver: Any, kind: str, place: tuple[float, ...], **options: Any) -> None:
    event = {"type": kind, "x": place[0], "y": place[1], **options}
    driver.execute_cdp_cmd("Input.dispatchMouseEvent", event)


def _find_place(driver: Any, element: Any, x: float, y: float) -> tuple[float, float]:
    """A place of a drawing in pixels of the screen, after scrolling there."""
    script = """
    const [plot, x, y] = arguments, svg = plot.querySelector('svg');
    plot.scrollIntoView({block: 'center', behavior: 'instant'});
    const box = svg.getBoundingClientRect(), width = svg.viewBox.baseVal.width;
    const rate = box.width / width;
    return [box.left + x * rate, box.top + y * rate];"""
    a, b = driver.execute_script(script, element, x, y)
    return a, b


def click(driver: Any, element: Any, x: float, y: float) -> None:
    """Click at a place of a chart."""
    place = _find_place(driver, element, x, y)
    _send(driver, "mousePressed", place, button="left", buttons=1, clickCount=1)
    _send(driver, "mouseReleased", place, button="left", clickCount=1)


def press_element(driver: Any, element: Any, share: float) -> None:
    """Click on an element at a share of its width."""
    script = """
    arguments[0].scrollIntoView({block: 'center', behavior: 'instant'});
    const box = arguments[0].getBoundingClientRect();
    return [box.left + arguments[1] * box.width, box.top + box.height / 2];"""
    place = driver.execute_script(script, element, share)
    _send(driver, "mousePressed", place, button="left", buttons=1, clickCount=1)
    _send(driver, "mouseReleased", place, button="left", clickCount=1)


def pinch(driver: Any, element: Any, place: tuple[float, float], apart: Sequence[float]) -> None:
    """Move two fingers on a chart; ``apart`` are their distances one after the other."""
    x, y = _find_place(driver, element, *place)

    def send(kind: str, distance: float | None) -> None:
        sides = () if distance is None else (-0.5, 0.5)
        points = [{"x": x + s * (distance or 0.0), "y": y, "id": int(s > 0)} for s in sides]
        event = {"type": kind, "touchPoints": points}
        driver.execute_cdp_cmd("Input.dispatchTouchEvent", event)

    send("touchStart", apart[0])
    for distance in apart[1:]:
        send("touchMove", distance)
    send("touchEnd", None)


def swipe(driver: Any, element: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Move one finger from one place of a chart to another."""
    a, b = (_find_place(driver, element, *place) for place in (start, end))
    for share in (0.0, 0.3, 0.6, 1.0):
        x, y = (p + share * (q - p) for p, q in zip(a, b, strict=True))
        kind = "touchMove" if share else "touchStart"
        event = {"type": kind, "touchPoints": [{"x": x, "y": y}]}
        driver.execute_cdp_cmd("Input.dispatchTouchEvent", event)
    driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
