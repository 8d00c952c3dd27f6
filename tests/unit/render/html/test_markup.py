"""Any text is shown on a page as text, never as markup."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gittraj.render.html.events import Ids
from gittraj.render.html.markup import anchor, join, line, tag, text
from gittraj.render.html.prose import prose
from gittraj.render.text import terminal
from tests.unit.render.html.parsed import parse

MARKUP = st.text(st.sampled_from("<>&\"'=/ \n\tab!-;#x0`*|~_[]()\x1b\u202e\ud800é"))
ALLOWED = {"p", "pre", "code", "strong", "ul", "li", "span", "table", "tr", "td", "th"}


@given(MARKUP)
def test_a_text_stays_a_text(value: str) -> None:
    element = parse(tag("p", value, title=value)).one("p")
    assert element.inside == ([terminal.escape(value)] if value else [])
    assert element.attributes == {"title": terminal.escape(value)}


@given(st.lists(MARKUP))
def test_only_markup_objects_are_not_escaped(values: list[str]) -> None:
    assert parse(join([tag("b", each) for each in values])).text == "".join(map(terminal.escape, values))
    assert not parse(join(values)).all()


@given(MARKUP)
def test_prose_makes_only_allowed_elements(value: str) -> None:
    page = parse(prose(value))
    assert {each.name for each in page.all()} <= ALLOWED
    attributes = {name for each in page.all() for name in each.attributes}
    assert attributes <= {"class", "aria-hidden"}


def test_colours_are_left_out_and_other_controls_are_shown() -> None:
    assert text("\x1b[31;1mred\x1b[0m \x1b]0;title\x07 \u202etxt") == "red ^[]0;title^G &lt;U+202E&gt;txt"
    assert line("one\n  two three", 9) == "one two…"


def test_attributes_are_written_in_html_form() -> None:
    assert tag("a", "x", class_="c", data_kind="k", open=True, href=None) == (
        '<a class="c" data-kind="k" open>x</a>'
    )
    assert tag("input", type="search") == '<input type="search">'


def test_ids_are_plain_and_distinct() -> None:
    assert anchor("msg_1:0") == "e-msg_1:0"
    assert anchor('a" onclick="x').startswith("e-")
    assert '"' not in anchor('a" onclick="x')
    ids = Ids()
    assert [ids.choose(name) for name in ("a", "a", "a-2", "a")] == ["e-a", "e-a-2", "e-a-2-2", "e-a-3"]


def test_prose_renders_markdown_as_people_write_it() -> None:
    value = """\
## Done

I changed `a.py` and **two** more:

1. first
   - inner ``x`y``
2. second

| File | Lines |
|------|------:|
| a.py | 3 |

```sh
$ pytest <x>
```
plain <b>words</b> [link](javascript:x)
second line"""
    page = parse(prose(value))
    assert [each.name for each in page.inside if not isinstance(each, str)] == [
        *("p", "p", "ul", "table", "pre", "p")
    ]
    assert [item.text for item in page.all("li")] == ["1.first", "•inner x`y", "2.second"]
    assert [item.attributes["class"] for item in page.all("li")] == ["depth0", "depth1", "depth0"]
    assert [[cell.text for cell in row.all()] for row in page.all("tr")] == [["File", "Lines"], ["a.py", "3"]]
    assert page.one("pre").text == "$ pytest <x>"
    assert page.all("p")[-1].text == "plain <b>words</b> [link](javascript:x)\nsecond line"
    assert [each.text for each in page.all("strong")] == ["two"]


def test_a_fence_without_an_end_ends_with_the_text() -> None:
    assert parse(prose("```\na\n\nb")).one("pre").text == "a\n\nb"
