"""The page around it all: one file that asks nobody for anything."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import Any

from .._version import __version__
from ._markup import Markup, joined, tag


def page(title: str, *content: Any) -> str:
    """A whole document, its style and its script in it; a policy allows these and nothing else."""
    style, script = _resource("style.css"), _resource("page.js")
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        f"img-src data:; base-uri 'none'; form-action 'none'"
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="generator", content=f"unbraid {__version__}"),
        tag("title", title),
        tag("style", Markup(style)),
    )
    foot = tag("footer", tag("p", f"Made by unbraid {__version__}. f(p) ≈ W g(Vᵀp) + c"))
    body = tag("body", joined(content), foot, tag("script", Markup(script)))
    return "<!doctype html>\n" + tag("html", head, body, lang="en") + "\n"


def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
