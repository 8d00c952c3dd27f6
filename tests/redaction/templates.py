"""The corpus: templates of texts; their secrets are generated at run time, so that no file contains one."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gittraj.redact.examples import draw

CORPUS = Path(__file__).parent / "corpus"
# "{hex:40}" becomes a secret of 40 hexadecimal digits, "{-hex:40}" the same text as a harmless value
_HOLE = re.compile(r"\{(?P<none>-?)(?P<alphabet>[a-z0-9]+)(?::(?P<length>[0-9]+))?\}")
_WORDS = (
    "amber",
    "basin",
    "cobalt",
    "dagger",
    "ember",
    "falcon",
    "garnet",
    "harbor",
    "island",
    "jasper",
    "kernel",
    "lagoon",
    "mosaic",
    "nectar",
)
_HEADER, _PARTING = "== ", "--"


@dataclass(frozen=True, slots=True)
class Case:
    """A text of a family, and the secrets in it; a harmless text has none."""

    family: str
    template: str
    text: str
    secrets: tuple[str, ...]

    @property
    def name(self) -> str:
        """The family and the template, without the generated secrets."""
        return f"{self.family}: {self.template}"


def cases(file: str, seeds: int, family: str | None = None) -> Iterator[Case]:
    """Yield the texts of a corpus file, each generated ``seeds`` times; only those of ``family`` if given."""
    for named, template in templates(file):
        if family in (None, named):
            for seed in range(seeds):
                text, secrets = expand(template, seed)
                yield Case(named, template, text, tuple(secrets))


def templates(file: str) -> Iterator[tuple[str, str]]:
    """Yield the family and the text of each template of a corpus file."""
    family, lines = "", list[str]()
    for line in [*(CORPUS / file).read_text(encoding="utf-8").splitlines(), _PARTING]:
        if line.startswith(_HEADER) or line == _PARTING:
            if family and lines:
                yield family, "\n".join(lines)
            lines = []
            family = line.removeprefix(_HEADER) if line.startswith(_HEADER) else family
        elif family:
            lines.append(line)


def expand(template: str, seed: int) -> tuple[str, list[str]]:
    """Return the text of a template, and the secrets generated for it."""
    secrets: list[str] = []
    count = 0

    def fill(hole: re.Match[str]) -> str:
        nonlocal count
        count += 1
        drawn = _drawn(hole["alphabet"], hole["length"], f"{template} {seed} {count}")
        if drawn is None:
            return hole[0]
        if not hole["none"]:
            secrets.append(drawn)
        return drawn

    return _HOLE.sub(fill, template), secrets


def _drawn(alphabet: str, length: str | None, seed: str) -> str | None:
    if length:
        return draw(alphabet, int(length), seed)
    if alphabet == "phrase":
        return " ".join(random.Random(seed).sample(_WORDS, 4))
    if alphabet in ("pw", "pwu"):
        return _password(random.Random(seed), signs="!#*" if alphabet == "pw" else "_.-")
    return None


def _password(source: random.Random, signs: str) -> str:
    """Return a password as a person or a generator would choose it."""
    first, second = source.sample(_WORDS, 2)
    number = source.randint(10, 9999)
    drawn = "".join(
        source.choices("abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789", k=source.randint(10, 18))
    )
    return source.choice(
        (
            f"{first.title()}{number}{source.choice(signs)}",
            f"{first}-{second}-{number}",
            f"{drawn}4",
            f"{first.title()}{second.title()}{number}",
            f"{drawn[:5]}{source.choice(signs)}{drawn[5:]}7",
        )
    )
