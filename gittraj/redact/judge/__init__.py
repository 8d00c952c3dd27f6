"""A statistical judge of words that no rule knows: the last reader, where a line has a cue.

Rules say what their authors met. What nobody met is often still clear to a reader from many small signs: a word
that looks drawn, three words behind a ``-u``, in a line that talks of a login. This adds such signs up: a linear
model (logistic regression) over the form of a word (``forms``) and what stands around it (``clues``), with
integer weights that can be read and edited (``weights.txt``). ``benchmarks/judging.py`` trains it, tests it on
authors that it was not trained on, and tells how its threshold was chosen; ADR 16 says why it is here.

It must not know any word of a secret: a clue is a shape or a neighbouring word that several authors used. It
must not read a line that the rules have no cue in, nor take what is public by its form.
"""

# ruff: noqa: E501 - a pattern that is cut reads worse
from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from importlib.resources import files

from ..anchors import Anchors
from ..commands import OPTION
from ..lazy import lazy
from ..made import is_phrase, is_walk
from ..randomness import likelihood
from ..rules import Page, Reader, Span
from ..values import CJK_SENTENCE, TOOL_ID, is_password, is_placeholder, is_type
from .candidates import Candidate, candidates, parts_of
from .clues import Surroundings
from .doubts import least
from .forms import form
from .hints import PARTS, SIGNS, hinted

RULE, BESIDE = "judged", "judged-beside"
# What no surroundings made up for: a form's score, of a word of letters alone and of another.
_HOPELESS_WORD, _HOPELESS = -200, -250
# The name of an identifier or of a digest, and the sign before its value.
_IDENTIFIES = lazy(
    r"(?i)\b(?:[\w-]{1,24}[_-]|(?-i:[A-Z][a-z]{1,16}(?=Id)))?(?:id|ray|kid|uid|uuid|guid|sha\d{0,3}|digest|etag|checksum|integrity|commit|revision|rev|ref|trace|span|request|fingerprint|thumbprint|serial|nonce|model|version|filename|path|prefix|sku|handle|slug|ref|ssid|verification|order|invoice|ticket|nummer|número|numéro|numero|номер|编号|編號|番号|번호)(?:[ ]value)?[\"']?[ ]?[:=>][ ]?[\"']?$|\barn:aws[^\s\"']{0,90}$|(?:cache|gpg|pgp)[^\n]{0,34}keys?[ ]?[:=]?[ ](?:id[ ])?[\"']?$"
)
# What a judge of small signs can't tell from a password: machines' names and a year's days, words with a number for a
# syllable, names of files of keys, what another program encrypted.
_USUAL = lazy(
    r"[a-z]{2,12}-?\d{1,3}\??|\d{4}-\d\d-\d\d\W?|[a-z]{3,}(?:2|4|64)[a-z]+|[\w.-]+\.(?:p8|p12|pem|key|jks|crt|cer|pfx|keystore|gpg|asc|csv|log|conf)|data:\S+|(?:Wi|Uni)-?Fi|(?:we|cus|sub|pi|ch|in|price|prod|acct|evt|pm|txn|po|si|seti|card|src|re|plink|promo|tr|req)_[A-Za-z0-9]{14,28}"
)
_HASHED = lazy(
    r"(?i)(?:-ref|commit|revert(?:ed)?|expected|found|actual|got|hash(?:es)?|md5|编号|request|[?&]v=)[ ]?$"
)
_NUMBERS = lazy(r"(?i)(?:^|[^\W\d_]|\s)(?<!pin)(?<!pin-)(?:nummer|number|numero|número|numéro|nr[.])[ ]$")
_ALPHABET = lazy(r"(?i)abcdefghijk|qrstuvwxyz")
_COUNTED = lazy(r"(?i)[ ](?:bytes|tokens?|[kmg]i?b|seconds|minutes|ms|lines|rows|files|times)\b")
_PASSED = lazy(r"\bpass(?:es|ing)?[ ][\"'`][a-z]{2,12}(?:_[a-z]{2,12}\d{0,2}){1,4}[\"'`]")  # the verb
_DIGEST = lazy(r"[0-9a-f]{40}|[0-9a-f]{64}")
_DRAWN = -4.4  # under which letters were drawn: an app's password
_LONGEST_WORD = 100
_PASSWORD, _ASSIGNED = 200, 400  # what the form of one and an equals sign say beyond the weights
_ABOVE, _BELOW = 2, 3  # lines around a cue
_LONGEST = 3000  # characters of a line
_SHORT = 40  # lines of a page


def judged(page: Page) -> Iterator[Span]:
    """The words of the page that the weights speak against; of those that overlap, the likeliest."""
    scored: list[tuple[int, Candidate]] = []
    for around, line, one in places(page, hopeful=True):
        page.tick()
        worth = score(around, line, one)
        if worth > _least(page, one, BESIDE if page.caught else RULE) and not _is_identifier(page.text, one):
            scored.append((worth, one))
    taken: list[Candidate] = []
    for worth, one in sorted(scored, key=lambda each: -each[0]):
        if all(one.end <= other.start or other.end <= one.start for other in taken):
            taken.append(one)
            yield Span(one.start, one.end, RULE if worth > _least(page, one, RULE) else BESIDE, "password")


def _least(page: Page, one: Candidate, rule: str) -> int:
    return least((rule,), form(page.text[one.start : one.end]).kind) or 0


def _is_identifier(text: str, one: Candidate) -> bool:
    return (
        TOOL_ID.fullmatch(text, one.start, one.end) is not None
        or is_placeholder(text[one.start : one.end])
        or is_type(text[one.start : one.end])
        or CJK_SENTENCE.fullmatch(text, one.start, one.end) is not None
        or _ALPHABET.search(text, one.start, one.end) is not None
        or _IDENTIFIES.search(text, max(0, one.start - 100), one.start) is not None
        or _USUAL.fullmatch(text, one.start, one.end) is not None
        or is_spoken(text[one.start : one.end])
        or _HASHED.search(text, max(0, one.start - 12), one.start) is not None
        or (
            text[one.start : one.end].isdigit()
            and _NUMBERS.search(text, max(0, one.start - 40), one.start) is not None
        )
        or _COUNTED.match(text, one.end) is not None
        or _PASSED.search(text, max(0, one.start - 10), one.end + 1) is not None
    )


def is_spoken(value: str) -> bool:
    """Whether a word is one of a language, or a sentence that has no spaces."""
    if value.isascii():
        return value.isalpha() and value.islower() and likelihood(value) > _DRAWN
    return 2 * sum(letter > "\u2e80" for letter in value) > len(value)


def acquitted(page: Page, found: Iterable[Span]) -> set[Span]:
    """Of what unsure rules found those values in one line for which too little else speaks: labels, numbers, names
    of tests. How much else is asked for depends on which rules found a value, and that no other did."""
    around = None
    free = set()
    for span, finders in _with_finders(found):
        value = page.text[span.start : span.end]
        if span.kind == "code" or len(value) > _LONGEST_WORD:
            continue
        if (asked := least(finders, form(value).kind)) is None:
            continue
        if is_phrase(value):
            continue
        if value[:1].isdigit() and "," in value and not value.strip("0123456789abcdefABCDEFx, \n"):
            continue  # the octets of a key
        if _DIGEST.fullmatch(value) and "checksums" in page.lower:
            free.add(span)
            continue
        around = around or Surroundings(page)
        line = bisect_right(around.starts, span.start) - 1
        start, end = around.line(line)
        if span.end <= end <= start + _LONGEST:
            sign = page.text[span.start - 1 : span.start]
            itself = Candidate(span.start, span.end, sign if sign in ("=", ":") else "")
            over = [c for c in candidates(page.text, start, end) if c.start < span.end and span.start < c.end]
            page.tick()
            asked -= _PASSWORD * is_password(value) + _ASSIGNED * _is_assigned(page.text, span)
            if max(_sum(around, line, one) for one in (itself, *over)) < asked:
                free.add(span)
    return free


_ASSIGNS = lazy(r"(?:[A-Z0-9]=|_[A-Z]{4,12}: )[\"']?$")  # as an environment does, and one in YAML


def _is_assigned(text: str, span: Span) -> bool:
    return (
        span.rule.startswith("named-")
        and _ASSIGNS.search(text, max(0, span.start - 18), span.start) is not None
    )


def _with_finders(found: Iterable[Span]) -> Iterator[tuple[Span, set[str]]]:
    """Each span, and the rules of all that lie over it or over each other."""
    group: list[Span] = []
    end = 0
    for span in (*sorted(found, key=lambda each: each.start), None):
        if group and (span is None or span.start >= end):
            rules = {each.rule for each in group}
            yield from ((each, rules) for each in group)
            group = []
        if span is not None:
            group.append(span)
            end = span.end if len(group) == 1 else max(end, span.end)


def score(around: Surroundings, line: int, one: Candidate) -> int:
    """How much speaks for a secret, in hundredths of a logit; less is said of what cannot be one by its form."""
    value = around.text[one.start : one.end]
    return _sum(around, line, one) if _has_hope(value) else _form_score(value)


def _sum(around: Surroundings, line: int, one: Candidate) -> int:
    value = around.text[one.start : one.end]
    kind = form(value).kind
    of_line = around.totals
    place = line, around.family(kind)
    if place not in of_line:
        of_line[place] = _weight(place[1], around.whole(line))
    return (
        _form_score(value)
        + of_line[place]
        + sum([_weight(first, said) for first, said in around.near(line, one, kind)])
    )


def _weight(first: str, said: list[str]) -> int:
    known, paired = weights(), _paired()
    total = sum([known[clue] for clue in said if clue in known])
    pairs = [f"{first} {clue}" for clue in said if clue in paired]
    return total + sum([known[pair] for pair in pairs if pair in known])


def clues(around: Surroundings, line: int, one: Candidate) -> list[str]:
    """All that is known of a candidate, for training."""
    shape = form(around.text[one.start : one.end])
    return [*shape.clues, *around.clues(line, one, shape.kind)]


def places(page: Page, *, hopeful: bool = False) -> Iterator[tuple[Surroundings, int, Candidate]]:
    """What is judged: words near a cue, each with its line; with ``hopeful`` only those of likely forms."""
    around = Surroundings(page)
    sure, hinted_at = _admitted(page, around)
    for line in sorted(sure | hinted_at):
        start, end = around.line(line)
        parts = _PARTS[hopeful, line in sure]
        for one in candidates(page.text, start, end, parts) if end - start <= _LONGEST else ():
            yield around, line, one


_ALONE = lazy(r"[\"'`()\[\]{}<>_,.;:]{0,3}([A-Z]?[a-z]{1,10}|[A-Z]{1,5})[\"'`()\[\]{}<>_,.;:]{0,3}")
_FEW = 5  # letters: of so few no word has any hope
_PRONOUNCED = -5.0  # nor has one whose letters are likelier than this


@lru_cache(maxsize=1 << 15)
def _uncommon(run: str) -> tuple[Candidate, ...]:
    return tuple([one for one in parts_of(run) if not _DRAB.fullmatch(run, one.start, one.end)])


@lru_cache(maxsize=1 << 15)
def _hopeful(run: str) -> tuple[Candidate, ...]:
    alone = _ALONE.fullmatch(run)
    return () if alone and is_usual(alone[1]) else _likely(run, parts_of(run))


def is_usual(word: str) -> bool:
    """Whether a short word of letters is hopeless, told without its form."""
    return len(word) <= _FEW or (likelihood(word) > _PRONOUNCED and not is_walk(word))


@lru_cache(maxsize=1 << 15)
def _hopeful_uncommon(run: str) -> tuple[Candidate, ...]:
    return _likely(run, _uncommon(run))


def _likely(run: str, parts: Iterable[Candidate]) -> tuple[Candidate, ...]:
    return tuple([one for one in parts if _has_hope(run[one.start : one.end])])


def _has_hope(value: str) -> bool:
    return _form_score(value) >= (_HOPELESS_WORD if value.isascii() and value.isalpha() else _HOPELESS)


_PARTS = {  # of likely forms or all, in a line near a cue or in one with a hint
    (False, True): parts_of,
    (False, False): _uncommon,
    (True, True): _hopeful,
    (True, False): _hopeful_uncommon,
}


# What is too common to be looked at where a hint is all there is: words, numbers, paths, dates, code.
_DRAB = lazy(
    r"[\w.-]{1,60}\.(?:txt|log|md|rst|py|pyi?c?|jsx?|tsx?|mjs|map|json|ya?ml|toml|cfg|conf|ini|sh|c|h|cc|cpp|go|rs|java|rb|php|html?|css|png|jpe?g|svg|gz|zip|tar|so|lock|xml|csv)|[A-Za-z]{1,7}|[^\W\d_]+(?:[-_./:'@+][^\W\d_]+)*[-_./:]?\d{0,2}(?<![A-Za-z]{8}\d\d)(?<![a-z][A-Z]\d\d)|\d+(?:[-.,:/TxX]\d+)*[A-Za-z%]{0,3}|\S*[(){}<>\[\]=|\\`]\S*|[\w.~-]*/[\w./-]*|[0-9a-f]{7,12}|[a-z]{1,8}[-_]?\d{1,4}|[A-Za-z_]+(?:_[A-Za-z0-9]+)+|--?\w\S*"
)


@cache
def weights() -> dict[str, int]:
    """Clues and what they weigh, in hundredths of a logit; that without a name weighs always."""
    found = {}
    for row in files(__package__).joinpath("weights.txt").read_text("utf-8").split("\n"):
        if row and not row.startswith("#"):
            weight, _, clue = row.partition(" ")
            found[clue] = int(weight)
    return found


@cache
def _paired() -> frozenset[str]:
    """Clues that weigh something with one before them."""
    return frozenset(clue.partition(" ")[2] for clue in weights())


@lru_cache(maxsize=1 << 15)
def _form_score(value: str) -> int:
    known = weights()
    return known.get("", 0) + sum(known.get(clue, 0) for clue in form(value).clues)


def _admitted(page: Page, around: Surroundings) -> tuple[set[int], set[int]]:
    """The lines near a cue and those with an option that may be given a password, or all of a short page on which
    a rule found a secret; and the lines with a hint."""
    if page.caught and len(around.starts) <= _SHORT:
        return set(range(len(around.starts) - 1)), set()
    lines = {bisect_right(around.starts, found.start()) - 1 for found in OPTION.finditer(page.lower)}
    for line in around.cued:
        lines.update(range(max(0, line - _ABOVE), min(line + _BELOW + 1, len(around.starts) - 1)))
    return lines, {bisect_right(around.starts, at) - 1 for at in hinted(page)}


JUDGE = Reader(
    id=RULE,
    kind="password",
    find=judged,
    anchors=lambda: Anchors(names=True, signs=SIGNS, parts=PARTS, patterns=(OPTION,)),
)
