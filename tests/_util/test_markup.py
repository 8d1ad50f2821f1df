"""Escaping and shortening of text."""

from unbraid._util.markup import shorten, tag


def test_text_is_escaped():
    assert tag("p", "<b>", title='"><b>') == '<p title="&quot;&gt;&lt;b&gt;">&lt;b&gt;</p>'
    assert shorten("a\x00b\ud800\u2066\nc") == "a\ufffdb\ufffd c"
    assert shorten("\n\t") == "(no name)"
