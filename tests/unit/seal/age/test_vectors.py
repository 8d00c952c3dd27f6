"""C2SP's test vectors of the age format (CCTV): each states its expected outcome."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass
from pathlib import Path

import pytest

from gittraj.seal import age
from gittraj.seal.age.header import compose

COUNT = 143
ERRORS: dict[str, type[age.AgeError]] = {
    "header failure": age.HeaderError,
    "HMAC failure": age.MacError,
    "payload failure": age.PayloadError,
    "no match": age.NoMatch,
    "armor failure": age.ArmorError,
}


@dataclass(frozen=True, slots=True)
class Vector:
    fields: list[tuple[str, str]]
    file: bytes

    @classmethod
    def read(cls, path: Path) -> Vector:
        head, _, file = path.read_bytes().partition(b"\n\n")
        lines = [line.partition(": ") for line in head.decode().split("\n")]
        fields = [(key, value) for key, _, value in lines]
        return cls(fields, zlib.decompress(file) if ("compressed", "zlib") in fields else file)

    def all(self, key: str) -> list[str]:
        return [value for name, value in self.fields if name == key]

    def parts(self) -> tuple[str, bytes]:
        return age.split(age.dearmor(self.file.decode("latin-1")) if self.all("armored") else self.file)

    def decrypt(self) -> bytes:
        identities: list[age.Identity] = [age.parse_identity(one) for one in self.all("identity")]
        identities += [age.ScryptIdentity(one) for one in self.all("passphrase")]
        return age.decrypt(*self.parts(), identities)


def test_each_vector_has_its_expected_outcome(vectors: Path) -> None:
    paths = sorted((vectors / "age" / "testdata").iterdir())
    wrong = [f"{path.name}: {problem}" for path in paths if (problem := _problem(Vector.read(path)))]
    assert wrong == []
    assert len(paths) == COUNT, "a missing vector proves nothing"


def _problem(vector: Vector) -> str | None:
    """Return how a vector differs from its expectation. A payload damaged further on also has a hash, of what
    a streaming reader would return: we return nothing."""
    (expected,) = vector.all("expect")
    try:
        found = hashlib.sha256(vector.decrypt()).hexdigest()
    except age.AgeError as error:
        fits = expected in ERRORS and isinstance(error, ERRORS[expected])
        exact = expected != "header failure" or not isinstance(error, age.MacError)
        return None if fits and exact else f"{expected}, but {error!r}"
    if expected != "success":
        return f"{expected}, but it was opened"
    return None if [found] == vector.all("payload") else "opened as something else"


def test_a_header_that_is_read_can_be_written_byte_for_byte(vectors: Path) -> None:
    written = 0
    for path in (vectors / "age" / "testdata").iterdir():
        try:
            header, _ = Vector.read(path).parts()
        except age.AgeError:
            continue
        assert header.startswith(f"{compose(age.stanzas(header))} "), path.name
        written += 1
    assert written > 60


@pytest.mark.parametrize("expected", ERRORS)
def test_every_kind_of_error_has_a_vector(vectors: Path, expected: str) -> None:
    paths = (vectors / "age" / "testdata").iterdir()
    assert any(Vector.read(path).all("expect") == [expected] for path in paths)
