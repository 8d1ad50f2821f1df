"""``unbraid report``."""

import shlex
import webbrowser

import numpy as np

import unbraid
from cli_helpers import write_table
from unbraid.cli import main


def test_report_on_other_data(workspace, capsys):
    write_table("more.csv", "p1,p2,f", [np.random.default_rng(1).uniform(-1, 1, (30, 3))])
    line = "report f.unbraid.json --data more.csv --names speed,load -o a.html --title A<B"
    assert main(shlex.split(line)) == 0
    assert capsys.readouterr().out == "a.html\n"
    page = (workspace / "a.html").read_text(encoding="utf-8")
    assert "A&lt;B" in page
    assert "speed" in page


def test_columns_of_the_data_are_matched_by_name(workspace, capsys):
    model = unbraid.load("f.unbraid.json").named(["speed", "load"])
    model.save("named.json")
    points = np.random.default_rng(1).uniform(-1, 1, (30, 2))
    write_table("turned.csv", "load,speed,f", [points[:, ::-1], model(points)])
    assert main(shlex.split("report named.json --data turned.csv --target f -o a.html")) == 0
    write_table("partial.csv", "load,mass,f", [points, model(points)])
    assert main(shlex.split("report named.json --data partial.csv --target f -o a.html")) != 0
    assert "no column 'speed', an input of the model" in capsys.readouterr().err


def test_report_on_samples_without_a_browser(monkeypatch, capsys, small_files):
    monkeypatch.setattr(webbrowser, "open", lambda _: False)
    line = ["report", "model.json", "--data", "samples.npz", "-o", "r.html", "--open"]
    assert main(line) == 0
    assert "r.html" in capsys.readouterr().err
    with open("r.html", encoding="utf-8") as page:
        assert "error on the data given" in page.read()


def test_report_is_opened(monkeypatch, small_files, tmp_path):
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda address: not opened.append(address))
    assert main(["report", "model.json", "-o", "r.html", "--open"]) == 0
    (address,) = opened
    assert address.startswith("file:")
    assert address.endswith("/r.html")
