"""The readers of sealed thinking: as lines for people, as JSON for scripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gittraj.seal.readers import Reader, Readers


def describe_reader(reader: Reader) -> str:
    """A key, or the type and fingerprint of an SSH key, and its comment."""
    key, fingerprint = str(reader.recipient), reader.recipient.fingerprint
    name = key if key.startswith("age1") else f"{key.split(maxsplit=1)[0]} {fingerprint}"
    return f"{name} {reader.comment}".rstrip()


def render_readers(readers: Readers, new: Sequence[Reader], gone: Sequence[str]) -> Iterator[str]:
    """Yield one line per reader. Since the list was last trusted, ``new`` readers were added, and those with
    the keys ``gone`` removed."""
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
