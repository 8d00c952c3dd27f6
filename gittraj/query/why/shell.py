"""Finds what a shell command writes to a file, as far as its literals show it. Pure.

Only text that goes to the file counts: a here-document or text that is redirected, a script that writes, an
edit in place. A command that quotes a line to search for it, or in a message, wrote nothing.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import chain, groupby, pairwise

from gittraj.events.runs.tokens import Token, read_tokens
from gittraj.query.why.written import Hunk

_LONGEST = 50_000  # characters of a command; longer ones are not parsed
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
    """Yield the hunks that a command writes to a file with one of ``paths``; they replace a part of a line.
    The folder in which the command ran is unknown: a relative name matches the end of any path."""
    if len(text) > _LONGEST or not _MAY_WRITE.search(text):
        return
    try:
        pipelines = [[*tokens] for _, tokens in groupby(read_tokens(text), _ends)]
    except ValueError:
        return
    folder = ""
    for tokens in pipelines:
        words = [token.word.text for token in tokens if token.kind == "word"]
        if words[:1] == ["cd"]:
            folder = posixpath.join(folder, *words[1:2])
        elif words:
            yield from _read_pipeline(tokens, words, partial(_is_at, folder, paths), paths)


def _ends(token: Token) -> bool:
    return token.kind == "operator" and token.word.text not in ("|", "|&")


def _is_at(folder: str, paths: Collection[str], name: str) -> bool:
    """Whether ``name``, in a command that runs in ``folder`` (if that is known), means one of ``paths``."""
    file = posixpath.normpath(posixpath.join(folder, name))
    if file.startswith("/"):
        return any(file.endswith(f"/{path}") for path in paths)
    file = re.sub(r"^(?:\.\./)+", "", file)
    return any(f"/{path}".endswith(f"/{file}") for path in paths)


def _read_pipeline(
    tokens: Sequence[Token], words: Sequence[str], is_wanted: Callable[[str], bool], paths: Collection[str]
) -> Iterator[Hunk]:
    programs = {*map(posixpath.basename, words)}
    redirects = (token.word.scripts for token in tokens if token.kind == "redirect")
    documents = [*chain.from_iterable(redirects)]
    targets, named = _find_targets(tokens), any(map(is_wanted, words))
    if any(map(_SHELL.fullmatch, programs)):
        yield from _read_scripts(partial(read_command, paths=paths), documents, words)
    elif any(map(_INTERPRETER.fullmatch, programs)):
        yield from _read_scripts(partial(read_script, paths=paths, named=named), documents, words)
    elif any(map(is_wanted, targets)) or (named and "tee" in programs):
        yield from _read_output(words, documents, targets)
    if named and programs & {"sed", "gsed", "perl"}:
        yield from _read_in_place(words)


def _find_targets(tokens: Sequence[Token]) -> set[str]:
    redirects = (pair for pair in pairwise(tokens) if pair[0].kind == "redirect")
    return {target.word.text for sign, target in redirects if ">" in sign.word.text}


def _read_scripts(
    read: Callable[[str], Iterator[Hunk]], documents: Sequence[str], words: Sequence[str]
) -> Iterator[Hunk]:
    scripts = (after for word, after in pairwise(words) if _SCRIPT.fullmatch(word))
    return chain.from_iterable(map(read, chain(documents, scripts)))


def _read_output(words: Sequence[str], documents: Sequence[str], targets: Collection[str]) -> Iterator[Hunk]:
    yield from (((), tuple(document.splitlines())) for document in documents)
    if words[0] in ("echo", "printf"):
        text = " ".join(word for word in words[1:] if word not in targets)
        yield (), tuple(text.replace("\\n", "\n").split("\n"))


def read_script(text: str, paths: Collection[str], *, named: bool = False) -> Iterator[Hunk]:
    """Yield the lines of a program that writes files, and the lines that its literals separate by ``\\n``."""
    if _WRITES.search(text) and (named or any(_is_at("", paths, name) for name in _LITERAL.findall(text))):
        yield (), tuple(text.split("\n"))
        for first, *more, _ in (row.split("\\n") for row in text.split("\n") if "\\n" in row):
            yield (), (_QUOTE.split(first)[-1], *more)


def _read_in_place(words: Sequence[str]) -> Iterator[Hunk]:
    """Yield the text that ``sed -i`` replaces and inserts; replacements that reuse the match are left out."""
    scripts = words if any(map(_IN_PLACE.fullmatch, words)) else ()
    for script in (word for word in scripts if len(word) < _LONGEST // 5):
        if inserted := _INSERT.fullmatch(script):
            yield (), tuple(inserted[1].replace("\\n", "\n").split("\n"))
        for _, old, new in _REPLACE.findall(script):
            if not re.search(r"(?<!\\)(?:&|\\\d)", new):
                yield _literal(old.removeprefix("^").removesuffix("$")), _literal(new)


def _literal(text: str) -> tuple[str, ...]:
    return tuple(re.sub(r"\\([^\w\n])", r"\1", text.replace("\\n", "\n").replace("\\t", "\t")).split("\n"))
