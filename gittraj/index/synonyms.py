"""Words that programmers use for each other, for ``search --similar``: a line for each meaning.

A synonym counts less than the word itself. Words are stemmed like all others, so one form of each is enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

_MEANINGS = """
crash die dies abort panic segfault exception traceback error fail failure broken
hang stuck freeze deadlock timeout block never
slow sluggish janky latency performance speed faster fast quick forever seconds minutes
memory ram leak oom heap
missing absent exist lost lose vanish disappear nothing
duplicate twice double again repeated
delete remove erase drop clean cleanup purge forget
old stale outdated legacy expired obsolete
config configuration settings options preferences
login sign logged auth authentication session sso oauth
password secret credential token key
permission authorization unauthorised access policy role allowed
limit throttle rate quota cap bound
request call endpoint api http client
retry attempt backoff resend redeliver
message event notification webhook alert push
mail email
queue job worker task background broker
schedule cron nightly periodic timer
cache memoize cached
database db sql postgres mysql sqlite query select table
migration schema column alter
index search lookup find query
connection socket websocket link pool
concurrent concurrency race parallel simultaneous lock mutex once
test flaky suite random fixture
build compile ci pipeline
deploy deployment rollout release roll ship publish
container docker image
cost bill price spending cheap expensive money
cloud cluster server instance node host
file document upload attachment
folder directory path
big large huge size small
show display render shown view visible
page screen ui interface view dashboard
table grid list rows spreadsheet csv
form input field validation typed
date time timezone zone day calendar clock
text string character encoding unicode letter
wrong incorrect bug nonsense bad invalid
user customer person people client account
tenant organisation isolation
picture photo image thumbnail
phone mobile device android ios tablet
offline sync merge conflict
log logging logs audit
monitor metric dashboard statistics report percentile
security vulnerability attack hostile pentest
translation locale language i18n plural
accessibility screen reader blind
encryption encrypt crypto cipher
backup copy snapshot restore
proxy gateway firewall network
round rounding cent amount total
resize orientation rotate
typo misspelled fuzzy spelling
train model learning inference prediction
gradual percentage flag toggle feature
rename move
"""


@cache
def _table() -> Mapping[str, tuple[str, ...]]:
    table: dict[str, list[str]] = {}
    for line in _MEANINGS.split("\n"):
        words = line.split()
        for word in words:
            table.setdefault(word, []).extend(other for other in words if other != word)
    return {word: tuple(dict.fromkeys(others)) for word, others in table.items()}


def synonyms(word: str) -> tuple[str, ...]:
    """The synonyms of a word in lower case, also of its plural and simple past."""
    table = _table()
    forms = (word, *(word.removesuffix(ending) for ending in ("s", "es", "d", "ed", "ing", "ly")), f"{word}e")
    return next((table[form] for form in forms if form in table), ())
