"""One model as an article: what it is, how it was obtained, how to load it."""

from .._util.markup import Markup, shorten, tag
from ._model_section import show_function
from ._model_view import ModelView
from ._page_view import PageView
from ._provenance_section import fold_section, show_loading, show_origin
from ._state_section import show_state_space
from ._state_view import StateView
from ._verdict import show_verdict

MOST_FILE_BYTES = 300_000  # of a model file in the page
HEADING_LENGTH = 120  # characters


def show_model(
    view: PageView, *, alone: bool = True, hidden: bool = False, largest: int = MOST_FILE_BYTES
) -> Markup:
    """Return the article of a model; a file above ``largest`` bytes is left out.

    One of several models has its own heading and verdict.
    """
    heading = tag("h2", shorten(view.heading, HEADING_LENGTH), tabindex="-1")
    opening = tag("h2", "The model", class_="unseen") if alone else [heading, show_verdict(view)]
    if isinstance(view, StateView):
        sections = show_state_space(view)
    else:
        assert isinstance(view, ModelView)
        sections = show_function(view)
    return tag(
        "article",
        opening,
        sections,
        fold_section("How it was obtained", show_origin(view)),
        fold_section("Load the model", show_loading(view, largest)),
        id=view.key,
        class_="model",
        hidden=hidden,
    )
