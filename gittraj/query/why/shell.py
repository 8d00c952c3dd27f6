"""What a shell's command writes into a file, as far as its literals say it. Pure.

Only what goes there counts: a here-document or a text that is redirected, a script that writes, an edit in
place. A command that quotes a line to search for it, or in a message, wrote nothing.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import chain, pairwise

from gittraj.events.runs.tokens import Token, Word, read_tokens

Hunk = tuple[tuple[str, ...], tuple[str, ...]]

_LONGEST = 50_000  # signs of a command; what is written by a longer one is not known
_MAY_WRITE = re.compile(r">|\btee\b|write|\s-\S*i|\bbash|\bsh\b")
_SHELL = re.compile(r"(?:ba|z|da|k)?sh")
_INTERPRETER = re.compile(r"python[\d.]*|perl|ruby|node|deno|bun|php")
_SCRIPT = re.compile(r"-\w*[ce]|--eval")
_WRITES = re.compile(r"write|inplace|['\"](?:[wax]|r\+)[bt+]*['\"]|['\"]>>?['\"]")
_IN_PLACE = re.compile(r"-\w*i\S*|--in-place\S*")
_REPLACE = re.compile(r"(?<!\w)s([/|#,@!:~])((?:\\.|(?!\1)[^\\])*)\1((?:\\.|(?!\1)[^\\])*)\1", re.DOTALL)
_INSERT = re.compile(r"(?:\d+|\$|/(?:\\.|[^/\\])*/)?\s*[aic](?:\\\n|\\|\s)\s*(.*)", re.DOTALL)
_QUOTE = re.compile(r"['\"]")
_LITERAL = re.compile(r"['\"]([^'\"\n]+)['\"]")


def read_command(text: str, paths: Collection[str]) -> Iterator[Hunk]:
    """What it replaces and writes in a file that is one of ``paths``; what it replaces is a part of a line.
    In which folder it ran is not known: a relative name may end any path."""
    if len(text) > _LONGEST or not _MAY_WRITE.search(text):
        return
    try:
        tokens = [*read_tokens(text), Token("operator", Word("\n"))]
    except ValueError:
        return
    pipeline: list[Token] = []
    folder = ""
    for token in tokens:
        if token.kind == "operator" and token.word.text not in ("|", "|&"):
            words = [each.word.text for each in pipeline if each.kind == "word"]
            if words[:1] == ["cd"]:
                folder = posixpath.join(folder, *words[1:2])
            elif words:
                yield from _read_pipeline(pipeline, words, partial(_is_at, folder, paths), paths)
            pipeline = []
        else:
            pipeline.append(token)


def _is_at(folder: str, paths: Collection[str], name: str) -> bool:
    """Whether a command in ``folder`` (where that is known) that names a file means one of ``paths``."""
    place = posixpath.normpath(posixpath.join(folder, name))
    if place.startswith("/"):
        return any(place.endswith(f"/{path}") for path in paths)
    place = re.sub(r"^(?:\.\./)+", "", place)
    return any(f"/{path}".endswith(f"/{place}") for path in paths)


def _read_pipeline(
    tokens: Sequence[Token], words: Sequence[str], is_ours: Callable[[str], bool], paths: Collection[str]
) -> Iterator[Hunk]:
    programs = {posixpath.basename(word) for word in words}
    documents = [script for token in tokens if token.kind == "redirect" for script in token.word.scripts]
    targets = {
        after.word.text
        for token, after in pairwise(tokens)
        if token.kind == "redirect" and ">" in token.word.text
    }
    named = any(map(is_ours, words))
    scripts = [*documents, *(after for word, after in pairwise(words) if _SCRIPT.fullmatch(word))]
    if any(map(_SHELL.fullmatch, programs)):
        yield from chain.from_iterable(read_command(script, paths) for script in scripts)
    elif any(map(_INTERPRETER.fullmatch, programs)):
        yield from chain.from_iterable(read_script(script, paths, named=named) for script in scripts)
    elif any(map(is_ours, targets)) or (named and "tee" in programs):
        yield from (((), tuple(document.splitlines())) for document in documents)
        if words[0] in ("echo", "printf"):
            text = " ".join(word for word in words[1:] if word not in targets)
            yield (), tuple(text.replace("\\n", "\n").split("\n"))
    if named and any(map(_IN_PLACE.fullmatch, words)) and programs & {"sed", "gsed", "perl"}:
        yield from chain.from_iterable(_read_in_place(word) for word in words if len(word) < _LONGEST // 5)


def read_script(text: str, paths: Collection[str], *, named: bool = False) -> Iterator[Hunk]:
    """The lines of a program that writes files, and those that its literals write as ``\\n``."""
    if _WRITES.search(text) and (named or any(_is_at("", paths, name) for name in _LITERAL.findall(text))):
        yield (), tuple(text.split("\n"))
        for first, *more, _ in (row.split("\\n") for row in text.split("\n") if "\\n" in row):
            yield (), (_QUOTE.split(first)[-1], *more)


def _read_in_place(script: str) -> Iterator[Hunk]:
    """What a word of ``sed -i`` replaces and inserts; what it takes over from the line is not known."""
    if inserted := _INSERT.fullmatch(script):
        yield (), tuple(inserted[1].replace("\\n", "\n").split("\n"))
    for _, old, new in _REPLACE.findall(script):
        if not re.search(r"(?<!\\)(?:&|\\\d)", new):
            yield _literal(old.removeprefix("^").removesuffix("$")), _literal(new)


def _literal(text: str) -> tuple[str, ...]:
    return tuple(re.sub(r"\\([^\w\n])", r"\1", text.replace("\\n", "\n").replace("\\t", "\t")).split("\n"))
