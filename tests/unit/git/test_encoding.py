"""Trees, commits and packs as bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gittraj.git.encoding import (
    BLOB,
    COMMIT,
    SYMLINK,
    TREE,
    Entry,
    decode_commit,
    decode_tree,
    encode_commit,
    encode_tree,
)

NAMES = st.binary(min_size=1, max_size=12).filter(
    lambda name: b"/" not in name and b"\0" not in name and name not in (b".", b"..", b".git")
)
ENTRIES = st.builds(
    Entry,
    mode=st.sampled_from([BLOB, 0o100755, TREE, SYMLINK, COMMIT]),
    name=NAMES,
    oid=st.binary(min_size=20, max_size=20).map(bytes.hex),
)


@given(st.lists(ENTRIES, unique_by=lambda entry: entry.name))
def test_a_tree_survives_encoding_and_decoding(entries: list[Entry]) -> None:
    decoded = decode_tree(encode_tree(entries), "sha1")
    assert sorted(decoded) == sorted(entries)
    names = [entry.name + b"/" if entry.is_tree else entry.name for entry in decoded]
    assert names == sorted(names)


def test_sha256_trees_have_longer_ids() -> None:
    entry = Entry(BLOB, b"n", "ab" * 32)
    assert decode_tree(encode_tree([entry]), "sha256") == (entry,)


def test_a_commit_survives_encoding_and_decoding() -> None:
    data = encode_commit(
        tree="1" * 40, parents=["2" * 40, "3" * 40], message="s\n\nb\n\n", identity="Ä <ä@x> 12 +0200"
    )
    info = decode_commit(data)
    assert (info.tree, info.parents) == ("1" * 40, ("2" * 40, "3" * 40))
    assert (info.author, info.time, info.message, info.subject) == ("Ä <ä@x>", 12, b"s\n\nb\n", "s")


def test_unusual_commits_of_others_are_decoded() -> None:
    head = b"tree 1\nauthor A <a> 1 +0000\ncommitter C <c> 2 +0000\n"
    signed = head + b"gpgsig -----BEGIN\n \n tree 9\n -----END\n\ntext"
    assert (decode_commit(signed).tree, decode_commit(signed).subject) == ("1", "text")
    latin = b"tree 1\nauthor a\ncommitter b\nencoding ISO-8859-1\n\n\ncaf\xe9\nwrapped\n\nbody"
    assert (decode_commit(latin).subject, decode_commit(latin).time) == ("café wrapped", 0)
    unknown = b"tree 1\nencoding klingon\n\ncaf\xc3\xa9"
    assert decode_commit(unknown).subject == "café"
    assert decode_commit(b"tree 1\nauthor a\ncommitter b\n\n").subject == ""
