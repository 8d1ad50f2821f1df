"""The HTML page of a result: one file without references to other files."""

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import Any

from .._util.markup import Markup, shorten, tag
from .._version import __version__
from ..errors import InvalidOptionError
from ..model._function import DecoupledFunction
from ..narx._model import NARX
from ..scans._table import Scan
from ..statespace._model import StateSpace
from ._article import show_model
from ._model_view import view_function, view_regressor
from ._narx_view import view_narx
from ._page_view import PageView
from ._scan_section import show_scan, summarise_scan
from ._scan_view import view_scan
from ._script import join_scripts
from ._state_view import view_state_space
from ._summary import summarise
from ._verdict import show_verdict

TITLE_LENGTH = 160  # characters


def write_page(result: Any, title: str | None, **options: Any) -> str:
    """Return the HTML of a report."""
    kind, summary, body = _show_result(result, options)
    heading = shorten(kind if title is None else title, TITLE_LENGTH)
    header = tag("header", tag("p", "unbraid report", class_="brand"), tag("h1", heading), summary)
    return _write_document(heading, header, tag("main", body))


def _show_result(result: Any, options: dict[str, Any]) -> tuple[str, Any, Any]:
    """Return what the result is called, its summary, and its body."""
    if isinstance(result, DecoupledFunction):
        return _show_single("Decoupled function", view_function(result, **options))
    if isinstance(result, NARX):
        return _show_single("Decoupled NARX model", view_narx(result, **options))
    if isinstance(result, StateSpace):
        return _show_single("State-space model", view_state_space(result, **options))
    if isinstance(getattr(result, "decoupled_", None), DecoupledFunction):
        return _show_single("Decoupled regression", view_regressor(result, **options))
    if isinstance(result, Scan):
        view = view_scan(result, **options)
        return "Scan of decoupled models", summarise_scan(view), show_scan(view)
    if type(result).__name__ == "DecoupledRegressor":
        raise InvalidOptionError("this DecoupledRegressor is not fitted: call fit(X, y) first")
    raise InvalidOptionError(
        f"there is no report of a {type(result).__name__}: pass a DecoupledFunction, a NARX or "
        f"StateSpace model, a fitted DecoupledRegressor or a Scan"
    )


def _show_single(kind: str, view: PageView) -> tuple[str, list[Markup], Markup]:
    claim = tag("p", f"{kind}: {summarise(view)}", class_="claim")
    return kind, [claim, show_verdict(view)], show_model(view)


def _write_document(title: str, *content: Markup) -> str:
    """Return a document whose security policy allows its own style and script only."""
    style = files(__package__).joinpath("style.css").read_text(encoding="utf-8")
    script = join_scripts()
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
    body = tag("body", content, foot, tag("script", Markup(script)))
    return "<!doctype html>\n" + tag("html", head, body, lang="en") + "\n"


def _digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
