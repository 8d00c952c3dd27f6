"""The readers of sealed thinking: as lines for people, as JSON for scripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gittraj.seal.readers import Reader, Readers


def describe_reader(reader: Reader) -> str:
    """A key and its comment; an SSH key by its fingerprint."""
    key, fingerprint = str(reader.recipient), reader.recipient.fingerprint
    shown = key if key.startswith("age1") else f"{key.split(maxsplit=1)[0]} {fingerprint}"
    return f"{shown} {reader.comment}".rstrip()


def render_readers(readers: Readers, new: Sequence[Reader], gone: Sequence[str]) -> Iterator[str]:
    """One line per reader; ``new`` were added, ``gone`` (keys) removed since the list was last trusted."""
    for reader in readers.own:
        yield f"you: {describe_reader(reader)}"
    for reader in readers.team:
        if readers.trusted:
            yield describe_reader(reader)
        else:
            yield f"{'+' if reader in new else ' '} {describe_reader(reader)} (not trusted)"
    if not readers.trusted:
        yield from (f"- {key}" for key in gone)


def readers_to_json(readers: Readers, new: Sequence[Reader]) -> dict[str, object]:
    """The document of ``git traj recipients list --json``."""
    return {
        "version": 1,
        "trusted": readers.trusted,
        "sha256": readers.digest,
        "problem": readers.problem,
        "own": [_to_json(reader) for reader in readers.own],
        "team": [_to_json(reader) for reader in readers.team],
        "new": [str(reader.recipient) for reader in new],
    }


def _to_json(reader: Reader) -> dict[str, str]:
    recipient = reader.recipient
    return {
        "recipient": str(recipient),
        "fingerprint": recipient.fingerprint,
        "comment": reader.comment,
    }
