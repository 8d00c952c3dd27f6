"""No foreign text becomes active: checked with a real renderer of GitHub's Markdown.

``GIT_TRAJ_RENDERS=N`` tries N texts.
"""

from __future__ import annotations

import random
import re
from html.parser import HTMLParser

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options

from gittraj.model.unseen import is_silent
from gittraj.render.inert import code, element, fence, quote, words
from gittraj.render.text import terminal
from tests.sizes import size

RENDERS = size(400, 3000, "GIT_TRAJ_RENDERS")
EXTENSIONS = ["table", "autolink", "tagfilter", "strikethrough", "tasklist"]
LIVE = re.compile(
    r"@\w|(?<!&)#\d|\bGH-\d|[A-Za-z]{2,}-\d|://|www\.|\w@\w|:[\w+-]+:|\$.*\$|\b[0-9a-f]{7,40}\b|mailto:"
    r"|(?<!\w)[!~%][a-z\"\d]|(?<!\w)&(?!\w+;)\d|\[\w+:\w|\{[+-]|\*iteration:",
    re.I,
)
JOINED = re.compile("\ufe0f?\u200d?(?![\ufe0f\u200d])")
PIECES = [
    *"\\`*_[](){}<>|~!^#+-=.:;@$&/'\"\t\n ",
    *(
        "@octocat",
        "@org/team",
        "#12",
        "GH-7",
        "owner/repo#5",
        "JIRA-123",
        "!12",
        "group/project!5",
        "~bug",
        '%"v 1"',
        "&3",
        "[vulnerability:1]",
        "*iteration:2",
        "{+",
        "/approve",
        "https://evil.example/x",
        "www.evil.example",
    ),
    *(
        "mailto:a@b.example",
        "a@b.example",
        ":tada:",
        "$x^2$",
        "$$",
        "```",
        "~~~",
        "<!--",
        "-->",
        "<img src=x>",
    ),
    *(
        "<details>",
        "</details>",
        "</summary>",
        "<script>",
        "![](https://e.example/i)",
        "[a](b)",
        "[a]: b",
        "[^1]",
    ),
    *(
        "1. ",
        "- ",
        "* ",
        "+ ",
        "> ",
        "# ",
        "    ",
        "---",
        "===",
        "| a | b |",
        "|-|-|",
        "- [ ] ",
        "&lt;",
        "&#64;",
        "&amp;",
    ),
    *(
        "a1b2c3d",
        "0123456789abcdef0123456789abcdef01234567",
        "http:",
        "//x",
        "word",
        "Ünï",
        "中文",
        "🎉",
        "👩‍💻",
    ),
    *(
        "\u202e",
        "\u200b",
        "\u2060",
        "\U000e0041",
        "\x1b[31m",
        "\x00",
        "\x85",
        "\ufeff",
        "\u2028",
        "\ufe0f",
        "\u200d",
        "\u3164" * 3,
        "\u034f",
        "\ufe01\U000e0150\U000e01ef",
        "a" + "\u0301" * 40,
        "\ue000",
        "\u0378",
        "é",
        "x" * 40,
    ),
    *(
        "[!WARNING]",
        "<a href='x'>",
        "\r\n",
        "\\|",
        "``",
        "` ",
        " `",
        "<!DOCTYPE x>",
        "<?x?>",
        "<![CDATA[",
        "]]>",
    ),
]


class Page(HTMLParser):
    """A renderer's output: the tags with their attributes, the text, and the text that is not code."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []
        self.text: list[str] = []
        self.plain: list[str] = []
        self.strange: list[str] = []
        self._inside = 0
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(attrs)))
        self._inside += tag in ("code", "pre")
        self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        self._inside -= tag in ("code", "pre")
        self._break(tag)

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        self.plain.append("\0" if self._inside else data)

    def handle_comment(self, data: str) -> None:
        self.strange.append(data)

    def handle_decl(self, decl: str) -> None:
        self.strange.append(decl)

    def handle_pi(self, data: str) -> None:
        self.strange.append(data)

    def unknown_decl(self, data: str) -> None:
        self.strange.append(data)

    def _break(self, tag: str) -> None:
        if tag == "br":
            self.text.append("\n")


def gfm(markdown: str) -> Page:
    return Page(cmarkgfm.markdown_to_html_with_extensions(markdown, Options.CMARK_OPT_UNSAFE, EXTENSIONS))


def hostile(seed: int) -> str:
    rng = random.Random(seed)
    return "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 14)))


def flat(text: str) -> str:
    return " ".join(text.split())


def shown(text: str) -> str:
    return flat(terminal.escape(text))


def check(page: Page, expected: str, tags: set[str], explanation: str) -> None:
    assert {tag for tag, _ in page.tags} <= tags, explanation
    assert not page.strange, explanation
    assert all(attrs in ((), (("class", "language-text"),), (("lang", "text"),)) for _, attrs in page.tags), (
        explanation
    )
    assert flat("".join(page.text)).replace("¦", "|") == expected.replace("¦", "|"), explanation
    assert not LIVE.search("".join(page.plain)), explanation
    assert not any(is_silent(sign) for sign in JOINED.sub("", "".join(page.text))), explanation


SEEDS = [pytest.param(range(start, RENDERS, 8), id=f"from {start}") for start in range(8)]


@pytest.mark.parametrize("seeds", SEEDS)
def test_no_hostile_text_becomes_active(seeds: range) -> None:
    for seed in seeds:
        text = hostile(seed)
        escaped = words(text)
        check(gfm(escaped), shown(text), {"p", "code"}, f"{seed}: {text!r} -> {escaped!r}")
        cell = f"| a | b |\n|---|---|\n| {escaped} | {code(text)} |\n"
        table = gfm(cell)
        names = [tag for tag, _ in table.tags]
        assert (names.count("td"), names.count("tr")) == (2, 2), f"{seed}: {cell!r}"
        assert not LIVE.search("".join(table.plain)), f"{seed}: {cell!r}"
        item = gfm(f"- {escaped}\n- {code(text)}\n")
        assert {tag for tag, _ in item.tags} <= {"ul", "li", "code"}, f"{seed}: {escaped!r}"
        check(gfm(fence(text)), shown(text), {"pre", "code"}, f"{seed}: {text!r}")
        inside = f"<details><summary>{element(text)}</summary>\n\nend\n\n</details>"
        page = gfm(inside)
        assert {tag for tag, _ in page.tags} <= {"details", "summary", "code", "p"}, f"{seed}: {inside!r}"
        assert not page.strange, f"{seed}: {inside!r}"
        assert not LIVE.search("".join(page.plain)), f"{seed}: {inside!r}"
        assert flat("".join(page.text)) == flat(f"{shown(text)} end"), f"{seed}: {inside!r}"
        lines = gfm(quote(text))
        assert {tag for tag, _ in lines.tags} <= {"blockquote", "p", "code", "br"}, f"{seed}: {quote(text)!r}"
        assert not lines.strange, f"{seed}: {text!r}"
        assert not LIVE.search("".join(lines.plain)), f"{seed}: {text!r}"


def test_a_comma_after_a_word_in_code_is_outside_of_it() -> None:
    assert words("carried from 16fcbd0, 79ec16c") == "carried from `16fcbd0`, `79ec16c`"


def test_the_check_recognizes_active_text() -> None:
    """It refuses texts that were not escaped."""
    live = ["see @octocat", "#12", "![x](y)", "<img src=x>", "https://e.example", "<!-- x -->", "*a*"]
    for text in live:
        with pytest.raises(AssertionError):
            check(gfm(text), shown(text), {"p", "code"}, text)
