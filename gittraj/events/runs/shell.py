"""Parses a shell command line into a tree.

The grammar is that of the POSIX shell with bash's ``&>``, ``|&`` and ``[[``; parts that do not affect an exit
status (arithmetic, case patterns) are skipped. A text that no shell would accept is parsed as far as it makes
sense, since its output reports the syntax error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from gittraj.events.runs.tokens import Token, Word, read_tokens

LINE_LIMIT = 8_000
"""How many characters of a command line are read: a longer line is a script. This also limits the nesting."""
_DEEPEST = 20
_LONGEST = 100  # commands joined by && and ||, each a level of the tree, or by |
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(?:\[[^]]*\])?\+?=", re.S)


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirection. ``descriptors`` are the outputs that go to ``target``: ``1``, ``2`` or ``12``; empty for
    input. ``scripts`` are the command substitutions in ``target``; ``document`` is a here-document's text."""

    descriptors: str
    target: str
    scripts: tuple[str, ...] = ()
    document: str | None = None


@dataclass(frozen=True, slots=True)
class Simple:
    """A simple command: a program and its arguments, or only assignments."""

    words: tuple[Word, ...]
    assignments: tuple[tuple[str, Word], ...] = ()
    redirects: tuple[Redirect, ...] = ()

    @property
    def scripts(self) -> list[str]:
        """The command substitutions in the command."""
        return [
            script
            for word in (*(value for _, value in self.assignments), *self.words)
            for script in word.scripts
        ]

    @property
    def document(self) -> str | None:
        """The text of the first here-document, or None."""
        return next((r.document for r in self.redirects if r.document is not None), None)


@dataclass(frozen=True, slots=True)
class Pipeline:
    parts: tuple[Node, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Chain:
    """``left && right`` or ``left || right``."""

    left: Node
    operator: str
    right: Node


@dataclass(frozen=True, slots=True)
class Sequence:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Background:
    body: Node


@dataclass(frozen=True, slots=True)
class Group:
    """``{ … }``, or ``( … )`` as a ``subshell``."""

    body: Node
    subshell: bool
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True, slots=True)
class Condition:
    test: Node
    then: Node
    other: Node | None
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop, or a ``case``: its body runs any number of times."""

    body: Node
    redirects: tuple[Redirect, ...] = ()


Node = Simple | Pipeline | Chain | Sequence | Background | Group | Condition | Loop


def parse(line: str) -> Node:
    """Return the tree of a command line. Raises ValueError if a quotation does not end, or nesting is too
    deep."""
    return _Parser(list(read_tokens(line[:LINE_LIMIT]))).sequence(frozenset(), 0)


class _Parser:
    """Parses tokens by recursive descent; ``ends`` are the words that end the enclosing construct."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0

    def _peek(self, kind: str, *texts: str) -> bool:
        if self.at >= len(self.tokens):
            return False
        token = self.tokens[self.at]
        return token.kind == kind and token.word.text in texts and (kind != "word" or token.word.literal)

    def _take(self, kind: str, *texts: str) -> bool:
        is_next = self._peek(kind, *texts)
        self.at += is_next
        return is_next

    def sequence(self, ends: frozenset[str], depth: int) -> Node:
        if depth > _DEEPEST:
            raise ValueError("nested too deeply")
        parts: list[Node] = []
        while self.at < len(self.tokens):
            if self._take("operator", ";", "\n", ";;", ";&", ";;&"):
                continue
            if self._peek("operator", ")"):
                if ")" in ends:
                    break
                self.at += 1  # a syntax error: parsing continues after it
                continue
            if self._peek("word", *ends):
                break
            before = self.at
            node = self._chain(ends, depth)
            parts.append(Background(node) if self._take("operator", "&") else node)
            if self.at == before:
                self.at += 1
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _chain(self, ends: frozenset[str], depth: int) -> Node:
        left, joined = self._pipeline(ends, depth), 1
        while self._peek("operator", "&&", "||"):
            if (joined := joined + 1) > _LONGEST:
                raise ValueError("nested too deeply")
            operator = self.tokens[self.at].word.text
            self.at += 1
            while self._take("operator", "\n"):
                pass
            left = Chain(left, operator, self._pipeline(ends, depth))
        return left

    def _pipeline(self, ends: frozenset[str], depth: int) -> Node:
        negated = False
        while self._peek("word", "!", "time"):
            negated ^= self.tokens[self.at].word.text == "!"
            self.at += 1
        parts = [self._command(ends, depth)]
        while self._peek("operator", "|", "|&"):
            if self.tokens[self.at].word.text == "|&":
                parts[-1] = _redirected(parts[-1], (Redirect("2", "&1"),))
            self.at += 1
            while self._take("operator", "\n"):
                pass
            parts.append(self._command(ends, depth))
            if len(parts) > _LONGEST:
                raise ValueError("nested too deeply")
        return Pipeline(tuple(parts), negated) if negated or len(parts) > 1 else parts[0]

    def _command(self, ends: frozenset[str], depth: int) -> Node:
        node: Node
        if self._take("operator", "("):
            node = Group(self.sequence(frozenset({")"}), depth + 1), subshell=True)
            self._take("operator", ")")
        elif self._take("word", "{"):
            node = Group(self.sequence(frozenset({"}"}), depth + 1), subshell=False)
            self._take("word", "}")
        elif self._take("word", "if"):
            node = self._condition(depth + 1)
        elif self._take("word", "while", "until"):
            test = self.sequence(frozenset({"do"}), depth + 1)
            node = Loop(Sequence((test, self._loop_body(depth + 1))))
        elif self._take("word", "for", "select"):
            while self.at < len(self.tokens) and not self._peek("word", "do"):
                self.at += 1
            node = Loop(self._loop_body(depth + 1))
        elif self._take("word", "case"):
            while self.at < len(self.tokens) and not self._take("word", "in"):
                self.at += 1
            node = Loop(self.sequence(frozenset({"esac"}), depth + 1))
            self._take("word", "esac")
        else:
            return self._simple()
        return _redirected(node, tuple(self._redirects()))

    def _loop_body(self, depth: int) -> Node:
        self._take("word", "do")
        body = self.sequence(frozenset({"done"}), depth)
        self._take("word", "done")
        return body

    def _condition(self, depth: int) -> Node:
        test = self.sequence(frozenset({"then"}), depth)
        self._take("word", "then")
        then = self.sequence(frozenset({"elif", "else", "fi"}), depth)
        other: Node | None = None
        if self._take("word", "elif"):
            return Condition(test, then, self._condition(depth + 1))
        if self._take("word", "else"):
            other = self.sequence(frozenset({"fi"}), depth)
        self._take("word", "fi")
        return Condition(test, then, other)

    def _redirects(self) -> Iterator[Redirect]:
        while self.at < len(self.tokens) and self.tokens[self.at].kind == "redirect":
            yield self._redirect()

    def _redirect(self) -> Redirect:
        text, documents = self.tokens[self.at].word.text, self.tokens[self.at].word.scripts
        self.at += 1
        target = Word("")
        if self.at < len(self.tokens) and self.tokens[self.at].kind == "word":
            target = self.tokens[self.at].word
            self.at += 1
        if ">" not in text or text == "<>":
            return Redirect("", target.text, target.scripts, *documents)
        number = text.rstrip("<>&|")
        both = text.startswith("&>") or (text == ">&" and not target.text.isdigit())
        descriptors = "12" if both or text[0] == "&" else number or "1"
        return Redirect(
            descriptors, ("&" if text.endswith("&") and not both else "") + target.text, target.scripts
        )

    def _simple(self) -> Simple:
        words: list[Word] = []
        assignments: list[tuple[str, Word]] = []
        redirects: list[Redirect] = []
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token.kind == "redirect":
                redirects.append(self._redirect())
                continue
            if token.kind != "word":
                break
            self.at += 1
            assigned = _ASSIGNMENT.match(token.word.text) if not words else None
            if assigned:
                value = replace(token.word, text=token.word.text[assigned.end() :])
                assignments.append((assigned[1], value))
            else:
                words.append(token.word)
        return Simple(tuple(words), tuple(assignments), tuple(redirects))


def _redirected(node: Node, redirects: tuple[Redirect, ...]) -> Node:
    if not redirects or isinstance(node, Chain | Sequence | Background | Pipeline):
        return node
    return replace(node, redirects=(*node.redirects, *redirects))
