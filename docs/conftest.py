"""Which files here hold examples that tests run: the pages, where what they need is installed."""

from importlib.util import find_spec

# The site's own files are run when it is built (tests/test_docs.py).
collect_ignore = ["conf.py"]
collect_ignore_glob = ["_build/*", "_ext/*", "auto_gallery/*", "gallery/*"]

NEEDS = {
    "torch": ["networks.md"],
    "sklearn": ["data.md", "models.md"],
    "onnx": ["deploy.md", "models.md"],
    "matplotlib": ["narx.md", "start.md"],
    "joblib": ["choose.md", "cluster.md", "narx.md", "report.md"],
    "distributed": ["cluster.md"],
    "pandas": ["start.md"],
}
collect_ignore += [page for extra, pages in NEEDS.items() if not find_spec(extra) for page in pages]
