"""Splits a message in Markdown into sentences, each with the heading and the line above it.

Code blocks and block quotes are left out: they are not the author's own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

MESSAGE_LIMIT = 100_000
"""How many characters of a message are read."""
SENTENCE_LIMIT = 500
"""The maximum number of characters of a sentence: a longer text is data."""
_CODE = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.S)
_MARKUP = re.compile(
    r"((?<![\w*])__[a-z][a-z\d_]*__(?!\w))"
    r"|(?<![\w*])([*_]{1,3})(?=\S)(.{1,500}?)(?<=\S)\2(?![\w*])"
    r"|\A\*\*(?=[^\Wa-z])|(?<=[\w.!?:])\*\*\Z|~~",
    re.S,
)
"""Markers in pairs, with what is between them, and one at an end of a sentence: a bold text may have several
sentences. Names such as ``__init__`` and ``**kwargs`` have no markers."""
_STRUCK = re.compile(r"~~(?=\S).+?~~", re.S)
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^)\n]*\)")
_END = re.compile(r"(?<=[.!?])[\"')\]*_]*\s+(?=[\"'(\[*_`]*[A-Z0-9`\u2600-\u27bf])|\n+")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|no|fig)|\b[A-Z])\.$", re.I)
_RUN_IN = re.compile(
    r"\W*(?:\*\*|__)(.+?)(?:\*\*|__)\s*(?:\([^)]*\)\s*)?(?:[:–—-]|(?<=[:.?]\*\*)\s|(?<=[:.?]\*\* )|$)"
    r"|\*\*([^*]+)$"
)
"""The bold words at the beginning of a sentence, up to their colon, dash or full stop."""
_EMOJI = re.compile("^[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f\u2b50\u2190-\u21ff\\s]+")
_STEP = re.compile(r"^(?:\d{1,2}[.)]|step \d+:?|phase \d+:?)\s+", re.I)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a message: its ``quote`` is word for word, its ``text`` has no markup, no words that are
    struck out, and has ``\\x00N\\x00`` in place of the Nth of the code spans (``codes``).

    ``section`` is the heading above; ``lead`` the line that introduces the list; ``label`` the bold words
    before a colon or dash; ``kind`` one of ``paragraph``, ``item``, ``row`` and ``heading``; ``columns`` are
    the heads of a table, and ``cells`` the texts of this row.
    """

    quote: str
    text: str
    codes: tuple[str, ...] = ()
    section: str = ""
    lead: str = ""
    label: str = ""
    kind: str = "paragraph"
    columns: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    asks: bool = False
    """The message ends with a question: its proposals wait for an answer."""
    spoken: bool = False
    """The sentence is within quotation marks that began before it: these are somebody else's words."""

    @property
    def above(self) -> str:
        return f"{self.section}\n{self.lead}"

    def restore(self, text: str) -> str:
        """Return a part of ``self.text`` with its code spans."""
        return re.sub("\x00(\\d+)\x00", lambda match: self.codes[int(match[1])], text)


@cache
def _parser() -> MarkdownIt:
    # without "inline": what is within a paragraph is read here, and many brackets take it minutes
    return MarkdownIt("commonmark", {"html": False}).enable("table").disable(["inline", "text_join"])


@lru_cache(maxsize=64)
def read_sentences(message: str) -> tuple[Sentence, ...]:
    """Return the author's own sentences, in order. The last messages are kept: each is asked for often."""
    message = message[:MESSAGE_LIMIT]
    tokens = _parser().parse(message)
    asks = message.rstrip().rstrip("*_").endswith("?")
    return tuple(_read(tokens, asks=asks))


@dataclass(slots=True)
class _Position:
    """A position in a message: ``leads`` has the introducing line of each open list, ``quoted`` is the number
    of open block quotes, ``columns`` and ``cells`` are those of the current row of a table."""

    asks: bool
    section: str = ""
    leads: list[str] = field(default_factory=lambda: [""])
    quoted: int = 0
    columns: tuple[str, ...] = ()
    cells: list[str] = field(default_factory=list)

    def move(self, kind: str) -> None:
        """Move past a token of this kind."""
        match kind:
            case "blockquote_open":
                self.quoted += 1
            case "blockquote_close":
                self.quoted -= 1
            case "bullet_list_open" | "ordered_list_open":
                self.leads.append(self.leads[-1])
            case "bullet_list_close" | "ordered_list_close":
                self.leads.pop()
                self.leads[-1] = self.leads[-1] if len(self.leads) > 1 else ""
            case "thead_close":
                self.columns, self.cells = tuple(self.cells), []
            case "table_close":
                self.columns, self.cells = (), []

    def read(self, content: str, within: str) -> Iterator[Sentence]:
        """Yield the sentences of a text; ``within`` is the type of the token that contains it."""
        if within in ("th_open", "td_open"):
            self.cells.append(content)
        elif within == "heading_open":
            self.section, self.leads = plain(content), [""] * len(self.leads)
            yield Sentence(content, *_mask(content), kind="heading", asks=self.asks)
        else:
            sentences = list(_split(content, self.section, self.leads, asks=self.asks))
            yield from sentences
            self.leads[-1] = _find_lead(content, sentences, self.leads)


def _read(tokens: Sequence[Token], *, asks: bool) -> Iterator[Sentence]:
    position = _Position(asks)
    for before, token in zip([None, *tokens], tokens, strict=False):
        position.move(token.type)
        if token.type == "tr_close" and position.columns:
            section = position.section or position.leads[-1]
            yield from _read_row(position.cells, position.columns, section, asks=asks)
            position.cells = []
        elif token.type == "inline" and not position.quoted:
            yield from position.read(token.content, before.type if before else "")


def _find_lead(content: str, sentences: Sequence[Sentence], leads: Sequence[str]) -> str:
    """Return the line of a paragraph or item that introduces the lines below it; empty if none does."""
    if sentences and content.rstrip().rstrip("*_").endswith((":", "?")):
        return plain(sentences[-1].quote)
    if len(leads) > 1:
        return leads[-1]
    return plain(content) if re.fullmatch(r"\*\*[^*]+\*\*", content.strip()) else ""


def _read_row(
    cells: Sequence[str], columns: tuple[str, ...], section: str, *, asks: bool
) -> Iterator[Sentence]:
    if not any(cells):
        return
    quote = " | ".join(cells)
    heads = tuple(plain(column).lower() for column in columns)
    yield Sentence(
        quote, *_mask(quote), section=section, kind="row", columns=heads, cells=tuple(cells), asks=asks
    )


def _split(content: str, section: str, leads: Sequence[str], *, asks: bool) -> Iterator[Sentence]:
    lead, kind = leads[-1], "item" if len(leads) > 1 else "paragraph"
    open_quote = False
    for quote in _split_text(content):
        text, codes = _mask(quote)
        spoken = open_quote
        open_quote ^= len(re.findall(r"[\"“”]", text)) % 2 == 1
        label = _RUN_IN.match(quote)
        run_in = (label[1] or label[2]).rstrip(": ") if label else ""
        if 3 <= len(quote) <= SENTENCE_LIMIT:
            yield Sentence(quote, text, codes, section, lead, plain(run_in), kind, asks=asks, spoken=spoken)


def _split_text(content: str) -> Iterator[str]:
    """Split a text after each full stop before something that begins a sentence, but not within code or
    struck-out words."""
    hidden = _CODE.sub(lambda m: "`" + "x" * (len(m[0]) - 2) + "`", content)
    hidden = _STRUCK.sub(lambda m: "~" * len(m[0]), hidden)
    hidden = re.sub(r"(?<![.!?:])\n(?!\s*(?:[-*•+✓✗✅❌⚠]|\d+[.)]))", " ", hidden)
    start = 0
    for end in _END.finditer(hidden):
        if _ABBREVIATION.search(hidden, max(start, end.start() - 9), end.start()):
            continue
        if quote := content[start : end.start()].strip():
            yield quote
        start = end.end()
    if quote := content[start:].strip():
        yield quote


def _mask(quote: str) -> tuple[str, tuple[str, ...]]:
    """Return the text without markup, with each code span replaced by its number; and the code spans."""
    codes: list[str] = []

    def hide(match: re.Match[str]) -> str:
        codes.append(match[0])
        return f"\x00{len(codes) - 1}\x00"

    text = _STRUCK.sub("", _LINK.sub(r"\1", _CODE.sub(hide, quote)))
    for _ in range(2):  # within a bold text there may be an italic one
        text = _MARKUP.sub(lambda match: match[1] or match[3] or "", text)
    text = re.sub(r"\s+", " ", text).replace("’", "'")
    return _STEP.sub("", _EMOJI.sub("", text.strip())).strip(), tuple(codes)


def plain(content: str) -> str:
    """Return a line without markup."""
    text, codes = _mask(content)
    return re.sub("\x00(\\d+)\x00", lambda match: codes[int(match[1])], text).strip(" :")
