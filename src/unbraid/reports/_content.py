"""What kind of result it is, and the page that shows it."""

from __future__ import annotations

from typing import Any

from ..errors import InvalidOption
from ..model._function import DecoupledFunction
from ..narx._model import NARX
from ..scans._table import Scan
from ._dynamics import narx_view
from ._markup import Markup, shortened, tag
from ._model_section import model_section
from ._page import page
from ._scan_section import scan_body, scan_claim
from ._scan_view import scan_view
from ._summary import claim, verdict
from ._views import ModelView, function_view, regressor_view

LONGEST_TITLE = 160


def whole_page(result: Any, title: str | None, **options: Any) -> str:
    """The HTML of a report."""
    kind, content = _content(result, options)
    heading = shortened(kind if title is None else title, LONGEST_TITLE)
    head = tag("header", tag("p", "unbraid report", class_="brand"), tag("h1", heading), content[0])
    return page(heading, head, tag("main", content[1]))


def _content(result: Any, options: dict[str, Any]) -> tuple[str, tuple[Any, Any]]:
    """What the result is called; the claim for the header, and the body."""
    if isinstance(result, DecoupledFunction):
        return "Decoupled function", _single(function_view(result, **options))
    if isinstance(result, NARX):
        return "Decoupled NARX model", _single(narx_view(result, **options))
    if isinstance(getattr(result, "decoupled_", None), DecoupledFunction):
        return "Decoupled regression", _single(regressor_view(result, **options))
    if isinstance(result, Scan):
        view = scan_view(result, **options)
        return "Scan of decoupled models", (scan_claim(view), scan_body(view))
    if type(result).__name__ == "DecoupledRegressor":
        raise InvalidOption("this DecoupledRegressor is not fitted: call fit(X, y) first")
    raise InvalidOption(
        f"there is no report of a {type(result).__name__}: pass a DecoupledFunction, a NARX model, "
        f"a fitted DecoupledRegressor or a Scan"
    )


def _single(view: ModelView) -> tuple[list[Markup | None], Markup]:
    return [tag("p", claim(view), class_="claim"), verdict(view)], model_section(view)
