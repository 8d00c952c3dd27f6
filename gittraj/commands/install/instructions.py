"""Puts a short instruction between markers into the file that an agent reads for instructions in a work tree.

Claude Code has a personal file for that. The others read only files of the work tree, which a team may share:
a file that git-traj makes is ignored by git in this clone, and if git tracks the file, the command reports
it. If somebody edited the text between the markers, it is neither overwritten nor removed. This module must
not write outside the work tree.
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
    """Return the instruction files of the agents that read one, by the agent's name for ``--agent``."""
    return {agent.option: agent.instructions for agent in all_agents().values() if agent.instructions}


def instruct_agent(
    repository: Repository, name: str, manifest: Manifest, *, dry_run: bool
) -> tuple[Manifest, tuple[Step, ...]]:
    """Put the instruction where agent ``name`` reads it. In a bare repository there is nothing to do."""
    tree = repository.work_tree
    if tree is None:
        return manifest, ()
    file = _find_file(find_files()[name], tree)
    path = tree / file
    known = manifest.told.get(str(path))

    def say(did: Did, *clauses: str | None) -> tuple[Manifest, tuple[Step, ...]]:
        text = "; ".join(filter(None, clauses))
        return manifest, (Step(what="instruction", name=file, did=did, text=text),)

    try:
        before = read_own(tree, path)
        content = before or b""
        after, instruction = put(content, known)
    except StoreError as error:
        return say("failed", f"no instruction: {error.message}")
    except TrajError as error:
        return say("skipped", f"left as it is: {error.message}", error.hint)
    if after == before:
        return say("unchanged", "instruction already there")
    advice = _IGNORED if before is None else _advise_tracked(repository, file)
    if not dry_run:
        try:
            write_file(path, after)
            made = replace(instruction, made=instruction.made or before is None)
            manifest = replace(manifest, told={**manifest.told, str(path): made})
            if before is None:
                manifest = ignore(repository, file, manifest)
        except OSError as error:
            return say("failed", f"no instruction: {path} cannot be written ({error.strerror})")
    did: Did = "renewed" if _BEGIN in content else "added"
    put_in = f"would be {did}" if dry_run else did
    return say(did, f"instruction for {name} {put_in}", advice)


def _advise_tracked(repository: Repository, file: str) -> str | None:
    return _TRACKED if _is_tracked(repository, repository.git_dir, file) else None


def _find_file(file: InstructionFile, tree: Path) -> str:
    """Return the file that has the instruction, or should get it."""
    if file.instead and (tree / file.instead).is_file():
        return file.instead
    return next((f for f in file.beside if _BEGIN in _read(tree / f)), file.own)


def put(now: bytes, known: Instruction | None) -> tuple[bytes, Instruction]:
    """Return ``now`` with the instruction at its end, or in place of the instruction that is ``known``.
    Raises TrajError if somebody edited the text between the markers."""
    block = _BLOCK.search(now)
    line = b"\r\n" if b"\r\n" in now else b"\n"
    text = TEXT.encode().replace(b"\n", line)
    if block is None:
        if _BEGIN in now:
            raise TrajError("its instruction has no end marker", _REMOVE)
        gap = 0 if not now else 1 if now.endswith(b"\n") else 2
        made = known is not None and known.made
        return now + line * gap + text, Instruction(made=made, gap=gap, digest=digest(text))
    present = digest(block[0])
    new = replace(known or Instruction(made=False, gap=0, digest=present), digest=digest(text))
    if present == new.digest:
        return now, new
    if known is None or present != known.digest:
        raise TrajError("its instruction was edited", _REMOVE)
    return now[: block.start()] + text + now[block.end() :], new


def remove_instructions(repository: Repository, manifest: Manifest, *, dry_run: bool) -> Iterator[Step]:
    """Remove git-traj's instructions, and keep what others wrote since. An instruction that is not in the
    manifest is removed only if its text is exactly git-traj's and git does not track its file, which could be
    the team's."""
    known = {str(path): instruction for path, instruction in _find_lost(repository)} | {**manifest.told}
    for path, instruction in ((Path(name), each) for name, each in known.items()):
        try:
            did, text = _remove_from(path, instruction, dry_run=dry_run)
        except OSError as error:
            did, text = "failed", f"kept: {path}: {error.strerror}"
        if text:
            yield Step(what="instruction", name=path.name, did=did, text=text)


def _remove_from(path: Path, known: Instruction, *, dry_run: bool) -> tuple[Did, str]:
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
    """Return ``now`` without the instruction, every other byte kept; None if the instruction was edited."""
    block = _BLOCK.search(now)
    if block is None or digest(block[0]) != known.digest:
        return None if _BEGIN in now else now
    before, after = now[: block.start()], now[block.end() :]
    line = b"\r\n" if b"\r\n" in block[0] else b"\n"
    for _ in range(known.gap):
        before = before.removesuffix(line)
    joins = before and after and not before.endswith(b"\n")
    return before + (line if joins else b"") + after  # text that was appended since stays on its own line


def _find_lost(repository: Repository) -> Iterator[tuple[Path, Instruction]]:
    """Yield the files of all work trees that contain exactly git-traj's text and that git does not track."""
    ours = digest(TEXT.encode())
    for tree in repository.worktrees():
        for file in (name for each in find_files().values() for name in (each.own, each.instead) if name):
            path = (tree.path or tree.git_dir) / file
            if not repository.owns(path):
                continue
            block = _BLOCK.search(_read(path))
            if block and digest(block[0]) == ours and not _is_tracked(repository, tree.git_dir, file):
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
    """Return the digest of a block, which does not depend on its line endings: git may change these."""
    return sha256(block.replace(b"\r\n", b"\n").rstrip(b"\n")).hexdigest()
