"""Puts a short instruction between markers into the file where an agent reads what to do in this work tree.

Claude Code has a personal file for that. The others read only files of the work tree, which a team may share:
one that we make is ignored by git here, and if git tracks the file, the command says so. What somebody wrote
between the markers is theirs: it is neither overwritten nor removed. It must not write outside the work tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from gittraj.agents import InstructionFile, all_agents
from gittraj.commands.install.edits import ignore, read_own, write_file
from gittraj.commands.install.manifest import Did, Instruction, Manifest, Step
from gittraj.errors import StoreError, TrajError
from gittraj.git import Repository
from gittraj.startup import sha256

TEXT = (files("gittraj.commands.install") / "instruction.md").read_text("utf-8")
_BLOCK = re.compile(rb"<!-- git-traj: begin -->.*?<!-- git-traj: end -->(?:\r?\n|\Z)", re.DOTALL)
_BEGIN = b"<!-- git-traj: begin -->"
_REMOVE = "to get ours, remove its lines and install again"
_IGNORED = "the file is ignored by git, so it stays here"
_TRACKED = "git tracks the file: commit it for everyone, or keep these lines out of your commits"


def find_files() -> dict[str, InstructionFile]:
    """The instruction files of the agents that read one, by option."""
    return {agent.option: agent.instructions for agent in all_agents().values() if agent.instructions}


def instruct_agent(
    repository: Repository, name: str, manifest: Manifest, *, dry_run: bool
) -> tuple[Manifest, tuple[Step, ...]]:
    """Put the instruction where agent ``name`` reads it; no step in a bare repository."""
    tree = repository.work_tree
    if tree is None:
        return manifest, ()
    file = _find_file(find_files()[name], tree)
    path = tree / file
    known = manifest.told.get(str(path))

    def say(did: Did, *words: str) -> tuple[Manifest, tuple[Step, ...]]:
        return manifest, (Step(what="instruction", name=file, did=did, text="; ".join(filter(None, words))),)

    try:
        before = read_own(tree, path)
        after, written = put(before or b"", known)
    except StoreError as error:
        return say("failed", f"no instruction: {error.message}")
    except TrajError as error:
        return say("skipped", f"left as it is: {error.message}", error.hint or "")
    if after == before:
        return say("unchanged", "instruction already there")
    if not dry_run:
        written = replace(written, made=before is None or (known is not None and known.made))
        try:
            write_file(path, after)
            manifest = replace(manifest, told={**manifest.told, str(path): written})
            manifest = ignore(repository, file, manifest) if before is None else manifest
        except OSError as error:
            return say("failed", f"no instruction: {path} cannot be written ({error.strerror})")
    did: Did = "renewed" if _BEGIN in (before or b"") else "added"
    tracked = before is not None and _is_tracked(repository, repository.git_dir, file)
    where = _TRACKED if tracked else _IGNORED if before is None else ""
    put_in = f"would be {did}" if dry_run else did
    return say(did, f"instruction for {name} {put_in}", where)


def _find_file(file: InstructionFile, tree: Path) -> str:
    """The file that has the instruction, or should get it."""
    if file.instead and (tree / file.instead).is_file():
        return file.instead
    return next((f for f in file.beside if _BEGIN in _read(tree / f)), file.own)


def put(now: bytes, known: Instruction | None) -> tuple[bytes, Instruction]:
    """Return ``now`` with the instruction at its end, or in place of the one that is ``known``. Raises
    TrajError if somebody wrote between the markers."""
    found = _BLOCK.search(now)
    line = b"\r\n" if b"\r\n" in now else b"\n"
    text = TEXT.encode().replace(b"\n", line)
    if found is None:
        if _BEGIN in now:
            raise TrajError("its instruction has no end marker", _REMOVE)
        gap = 0 if not now else 1 if now.endswith(b"\n") else 2
        return now + line * gap + text, Instruction(made=False, gap=gap, digest=digest(text))
    present = digest(found[0])
    wanted = replace(known or Instruction(made=False, gap=0, digest=present), digest=digest(text))
    if present == wanted.digest:
        return now, wanted
    if known is None or present != known.digest:
        raise TrajError("its instruction was edited", _REMOVE)
    return now[: found.start()] + text + now[found.end() :], wanted


def take_back(repository: Repository, manifest: Manifest, *, dry_run: bool) -> Iterator[Step]:
    """Remove our instructions and keep what others wrote since. Without a manifest only the exact text is
    removed, and never from a file that git tracks: there it may be the team's."""
    for path, known in {
        **dict(_find_lost(repository)),
        **{Path(p): t for p, t in manifest.told.items()},
    }.items():
        try:
            did, text = _take_back(path, known, dry_run=dry_run)
        except OSError as error:
            did, text = "failed", f"left: {path}: {error.strerror}"
        if text:
            yield Step(what="instruction", name=path.name, did=did, text=text)


def _take_back(path: Path, known: Instruction, *, dry_run: bool) -> tuple[Did, str]:
    now = _read(path)
    after = take_out(now, known)
    if after is None:
        return "skipped", f"left in {path}: the instruction was edited; remove its lines yourself"
    if after == now:
        return "unchanged", ""
    if known.made and not after.strip() and not dry_run:
        path.unlink()
    elif not dry_run:
        write_file(path, after)
    return "removed", f"instruction removed from {path}"


def take_out(now: bytes, known: Instruction) -> bytes | None:
    """Return ``now`` without the instruction, and with every other byte; None if somebody changed it."""
    found = _BLOCK.search(now)
    if found is None or digest(found[0]) != known.digest:
        return None if _BEGIN in now else now
    before, after = now[: found.start()], now[found.end() :]
    line = b"\r\n" if b"\r\n" in found[0] else b"\n"
    for _ in range(known.gap):
        before = before.removesuffix(line)
    joins = before and after and not before.endswith(b"\n")
    return before + (line if joins else b"") + after  # text appended since stays on a line of its own


def _find_lost(repository: Repository) -> Iterator[tuple[Path, Instruction]]:
    ours = digest(TEXT.encode())
    for tree in repository.worktrees():
        for file in (name for each in find_files().values() for name in (each.own, each.instead) if name):
            path = (tree.path or tree.git_dir) / file
            if not repository.owns(path):
                continue
            found = _BLOCK.search(_read(path))
            if found and digest(found[0]) == ours and not _is_tracked(repository, tree.git_dir, file):
                yield path, Instruction(made=True, gap=1, digest=ours)


def _is_tracked(repository: Repository, git_dir: Path, file: str) -> bool:
    index = {"GIT_INDEX_FILE": str(git_dir / "index")}
    return bool(repository.run("ls-files", "--", file, check=False, env=index).out)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def digest(block: bytes) -> str:
    """The digest of a block's lines: git may write them with other line endings."""
    return sha256(block.replace(b"\r\n", b"\n").rstrip(b"\n")).hexdigest()
