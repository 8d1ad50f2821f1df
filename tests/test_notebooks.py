"""The notebooks of the documentation: they run, and show what they should."""

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
MAX_BYTES = 300_000


def find_outputs(cells):
    return [output for cell in cells for output in cell.get("outputs", [])]


def has_picture(outputs):
    return any("image/png" in output.get("data", {}) for output in outputs)


def read_text(outputs):
    return "".join("".join(output.get("text", "")) for output in outputs)


def test_there_are_notebooks():
    assert [path.name for path in NOTEBOOKS] == ["network.ipynb", "table.ipynb"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_outputs_are_complete(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = find_outputs(cells)
    assert has_picture(outputs)
    assert not any(output["output_type"] == "error" for output in outputs)
    assert all(cell["execution_count"] for cell in cells if cell["cell_type"] == "code")
    assert path.stat().st_size < MAX_BYTES
    assert "/tmp" not in path.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Jupyter
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("network", ["the product of payload [kg] and angle [rad]", "[ True False]"]),
        ("table", ["the error is that of the noise", "inside the 95 % bands"]),
    ],
)
def test_notebooks_run(name, words):
    for package in ("nbclient", "ipykernel", "sklearn", "pandas", "matplotlib"):
        pytest.importorskip(package)
    import nbclient
    import nbformat

    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=900, kernel_name="python3").execute()
    outputs = find_outputs(notebook.cells)
    assert has_picture(outputs)
    assert all(word in read_text(outputs) for word in words)
