"""What stands around a word: its neighbours, its name, the command it is given to, the cues near it."""

# ruff: noqa: E501 - a pattern that is cut reads worse
from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, islice

from ..cues import cue_at
from ..lazy import lazy
from ..names import Grade, grade, parts
from ..rules import Page
from .candidates import Candidate

_BEFORE, _AFTER = 160, 120  # characters around a word
_AROUND = 3000  # characters in which a word may come again
_TOKEN = lazy(r"[^\W\d_]+|\d+|[^\w\s]")
_COMMAND = lazy(r"(?:^|[|;&(]|[$#%❯] |sudo |\bexec |-- |Bash\()\s*(?:\w+=\S+ )*([a-z][\w.+-]{1,24})(?= )")
_OPTION = lazy(r"(?:^|\s)(--?[A-Za-z][\w-]*)(?:[ =:]|[ ]?[\"'])?$")
_NAMED = lazy(
    r"([A-Za-z_$][\w.$-]{0,60}|[^\W\d_]{2,30})[\"'\])]{0,3}\s{0,4}(=>|:=|::|[:=])\s{0,4}[\"'`(\[{<u@fbr]{0,3}$"
)
_USER = lazy(
    r"\b(?:user(?:name|id)?|usr|login|admin|root|account|benutzer|utilisateur|usuario|uid|dba|postgres|sa)\b|(?:^|\s)-{1,2}u(?:ser(?:name)?)?\b"
)
_LINE_WORD = lazy(r"[^\W\d_]{2,20}")
_FEW = 6  # neighbours that count
_LETTERS = lazy(r"[A-Za-z]+")
_TOPICS = (
    *("public key", "certificate", "fingerprint", "-----begin", "checksum", "integrity", "etag", "sha256", "digest"),
    *("placeholder", "example", "test", "trace", "lock", "jwk", '"kty"', "diff --git", "usage:", "options:"),
    *("warning", "error", "commit"),
)  # fmt: skip
# Kinds of words that what stands near says the same of.
_FAMILIES = {
    **dict.fromkeys(("random", "mixed", "hex", "digest", "uuid", "UPPER1"), "drawn"),
    **dict.fromkeys(("lower", "capital", "camel", "upper", "foreign", "words", "phrase"), "word"),
    **dict.fromkeys(("word1", "signs1", "signs", "mixed-foreign"), "made"),
    "digits": "digits",
}


@dataclass(frozen=True, slots=True)
class _Cue:
    start: int
    end: int
    level: Grade
    stem: str


class Surroundings:
    """A page, as far as the words on it are judged by it."""

    def __init__(self, page: Page) -> None:
        self.text, self._lower = page.text, page.lower
        self.starts = [*accumulate([len(line) + 1 for line in self.text.split("\n")], initial=0)]
        self.cued: dict[int, list[_Cue]] = {}
        done = 0
        for hit in page.hits:
            if hit[0] < done:
                continue
            start, end, level = cue_at(page, hit)
            done = end = max(end, hit[1])
            if level and "REDACTED-" not in self.text[max(0, start - 9) : hit[1] + 9]:
                cue = _Cue(start, end, level, page.lower[hit[0] : hit[1]])
                self.cued.setdefault(bisect_right(self.starts, start) - 1, []).append(cue)
        self._stems: dict[int, list[tuple[int, str]]] = {}  # of all names, also of such as name no secret
        for at, end in page.all_hits:
            self._stems.setdefault(bisect_right(self.starts, at) - 1, []).append((end, page.lower[at:end]))
        self._lines: dict[int, list[str]] = {}
        self.totals: dict[tuple[int, str], int] = {}  # what the line weighs for a family of words
        self._commands: dict[int, list[tuple[int, str]]] = {}
        self._topics = [topic for topic in _TOPICS if topic in page.lower] if self.cued else []

    def line(self, n: int) -> tuple[int, int]:
        """Where a line begins and ends."""
        return self.starts[n], self.starts[n + 1] - 1

    def near(self, line: int, one: Candidate, kind: str) -> Iterator[tuple[str, list[str]]]:
        """What stands around a word of some kind: clues that count by themselves, and with what is before them."""
        yield kind, self._edges(line, one)
        yield kind, self._name(line, one)
        yield kind, self._command(line, one)
        yield kind, self._cues(line, one)
        family = self.family(kind)
        yield family, self._neighbours(line, one)
        yield family, self._of_line(line, one)

    def family(self, kind: str) -> str:
        """The kinds of words that what stands near says the same of."""
        return _FAMILIES.get(kind, "other")

    def whole(self, line: int) -> list[str]:
        """What a line says of all its words."""
        if line not in self._lines:
            start, end = self.line(line)
            lower = self._lower[start : min(end, start + 400)]
            self._lines[line] = [
                f"code{_step(sum(map(lower.count, '(){}=;')), 0, 1, 2, 4, 8)}",
                f"bars{_step(lower.count('|'), 0, 1, 2, 4)}",
                f"words{_step(len(lower.split()), 1, 2, 3, 5, 8, 14, 25)}",
                f"lines{_step(len(self.starts), 2, 4, 8, 20)}",
                *[f"line {word}" for word in {*_LINE_WORD.findall(lower)}],
                *[f"text {topic}" for topic in self._topics],
            ]
        return self._lines[line]

    def clues(self, line: int, one: Candidate, kind: str) -> list[str]:
        """All of it as it is weighed."""
        said = [*self.near(line, one, kind), (self.family(kind), self.whole(line))]
        return [each for first, found in said for clue in found for each in (clue, f"{first} {clue}")]

    def _edges(self, line: int, one: Candidate) -> list[str]:
        start, end = self.line(line)
        before = self.text[one.start - 1] if one.start > start else "^"
        after = self.text[one.end] if one.end < end else "$"
        before, after = ("w" if side.isalnum() else side for side in (before, after))
        return [f"before {before}", f"after {after}", f"between {before}{after}", f"sign {one.sign}"]

    def _name(self, line: int, one: Candidate) -> list[str]:
        start = max(self.starts[line], one.start - 90)
        named = _NAMED.search(self.text, start, one.start)
        if not named:
            return ["no name"]
        words = parts(named[1])
        return [
            f"name{int(grade(named[1]))}",
            *[f"name {word}" for word in words[-1:]],
            *[f"in name {word}" for word in words[:-1]],
            f"by {named[2]}",
        ]

    def _command(self, line: int, one: Candidate) -> list[str]:
        start = max(self.starts[line], one.start - 400)
        command = self._command_before(line, start, one.start)
        if option := _OPTION.search(self.text, max(start, one.start - 60), one.start):
            name = option[1]
            worth = f"option{int(grade(name.lstrip('-')))}" if len(name) > 2 else "short option"
            return ["option", f"option {name}", f"{command} {name}", worth]
        return [f"to {command}", "argument"] if command else []

    def _command_before(self, line: int, start: int, at: int) -> str:
        if start > self.starts[line]:
            commands = _COMMAND.findall(self.text, start, at)
            return commands[-1].lower() if commands else ""
        if line not in self._commands:
            found = _COMMAND.finditer(self.text, start, self.line(line)[1])
            self._commands[line] = [(match.end(1), match[1].lower()) for match in found]
        return next((name for end, name in reversed(self._commands[line]) if end < at), "")

    def _cues(self, line: int, one: Candidate) -> list[str]:
        here = self.cued.get(line, ())
        left = [cue for cue in here if cue.end <= one.start]
        right = [cue for cue in here if cue.start >= one.end]
        found = [
            f"cues {max((cue.level for cue in here), default=0)} {self._worth(line - 1)}",
            f"above {self._worth(line - 1)}",
            f"far above {max(self._worth(line - 2), self._worth(line - 3))}",
            f"below {self._worth(line + 1)}",
            f"any {bool(self.cued)}",
            *{f"stem {stem}" for end, stem in self._stems.get(line, ()) if end <= one.start <= end + _BEFORE},
        ]
        if left:
            gap = _words_between(self.text[left[-1].end : one.start])
            found += [f"left{left[-1].level}", f"left{left[-1].level} {gap}", f"left {left[-1].stem}"]
            if gap < 4:
                found.append(f"left {left[-1].stem} {gap}")
            between = self.text[left[-1].end : one.start]
            if len(between) < 12:
                found.append(f"gap {_LETTERS.sub('w', between)}")
        else:
            found.append("no left")
        if right:
            gap = _words_between(self.text[one.end : right[0].start])
            found += [f"right{right[0].level}", f"right{right[0].level} {gap}", f"right {right[0].stem}"]
        else:
            found.append("no right")
        return found

    def _worth(self, line: int) -> int:
        return max((cue.level for cue in self.cued.get(line, ())), default=0)

    def _neighbours(self, line: int, one: Candidate) -> list[str]:
        start, end = self.line(line)
        left = self._tokens_before(start, one.start)
        right = _tokens(self._lower[one.end : min(end, one.end + _AFTER)], _FEW - 1)
        before, after = ["^", "^", *left], [*right, "$", "$"]
        words = [word for word in left if word.isalpha()][-3:]
        following = [word for word in right if word.isalpha()][:3]
        return [
            f"-1 {before[-1]}",
            f"-2 {before[-2]}",
            f"-2-1 {before[-2]} {before[-1]}",
            f"+1 {after[0]}",
            f"+1+2 {after[0]} {after[1]}",
            *[f"word-{n} {word}" for n, word in enumerate(reversed(words), 1)],
            *[f"word+{n} {word}" for n, word in enumerate(following, 1)],
            *[f"after word {word}" for word in words],
            *[f"before word {word}" for word in following],
        ]

    def _tokens_before(self, start: int, at: int) -> list[str]:
        near = at - _BEFORE // 4
        if near > start and len(left := _tokens(self._lower[near:at])) > _FEW:
            return left[-_FEW:]  # the first may be cut
        return _tokens(self._lower[max(start, at - _BEFORE) : at])[-_FEW:]

    def _of_line(self, line: int, one: Candidate) -> list[str]:
        start, end = self.line(line)
        left, right = self.text[start : one.start], self.text[one.end : end]
        user = _USER.search(self._lower, max(start, one.start - 120), one.start) is not None
        user_after = _USER.search(self._lower, one.end, min(end, one.end + 60)) is not None
        found = [
            f"user {user} {user_after}",
            f"times{min(3, self.text.count(self.text[one.start : one.end], max(0, one.start - _AROUND), one.end + _AROUND))}",
        ]
        if not left.strip(' -*>+|$#"'):
            found.append("is first")
        if not right.strip(' .,;:)]}|"'):
            found.append("is last")
        if not left.strip() and not right.strip() and line:
            above = self._lower[self.starts[line - 1] : start - 1].rstrip()
            found += ["alone", f"alone below {above[-1:]}"]
            found += [f"alone below {word}" for word in _tokens(above[-80:])[-4:] if word.isalpha()]
        return found


def _tokens(text: str, most: int | None = None) -> list[str]:
    found = _TOKEN.finditer(text)
    return ["0" if token[0].isdigit() else token[0] for token in islice(found, most)]


def _words_between(text: str) -> int:
    return _step(len(_TOKEN.findall(text)), 0, 1, 2, 3, 5, 8, 14)


def _step(number: float, *steps: float) -> int:
    return bisect_left(steps, number)
