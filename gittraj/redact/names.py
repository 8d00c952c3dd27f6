"""What a name says about its value: ``DB_PASSWORD`` is a secret, ``max_tokens`` and ``key_id`` are not.

The last part of a name decides, after the parts that only say which one it is (``API_KEY_PROD_2``).
A tail that isn't the noun of a secret (``_id``, ``_path``, ``_count``, ``_url``) so makes it harmless.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache


class Grade(IntEnum):
    """How much the name alone proves."""

    NONE = 0
    WEAK = 1  # only a random value is a secret
    TOKEN = 2  # a random or a long one
    STRONG = 3  # any value that isn't a placeholder


def words_of(text: str) -> frozenset[str]:
    """The words of a list that is written as text."""
    return frozenset(text.split())


# Nouns at the end of a name, also glued to what stands before them (PGPASSWORD, authtoken).
_STRONG_ENDS = tuple(
    words_of(
        "password passwd passwort passphrase passcode userpass dbpass requirepass bindpw rootpw masterauth "
        "pwd secret mnemonic apikey apisecret secretkey accesskey privatekey privkey authtoken accesstoken "
        "apitoken bottoken refreshtoken sessiontoken bearertoken"
    )
)
_STRONG_LAST = words_of("psk pin masterkey")
# The last two parts together.
_STRONG_PAIRS = words_of(
    "api.key access.key secret.key private.key signing.key encryption.key master.key account.key "
    "storage.key shared.key preshared.key service.key license.key auth.key seed.phrase recovery.phrase "
    "security.token access.token auth.token api.token bot.token refresh.token session.token bearer.token "
    "personal.token deploy.token admin.token github.token gitlab.token gh.token npm.token slack.token "
    "id.token private.token subscription.key deploy.key jwt.key hmac.key aes.key root.token user.pass "
    "db.pass smtp.pass mail.pass ftp.pass admin.pass root.pass key.pass store.pass vault.token "
    "consumer.key app.key session.key"
)
_TOKEN_LAST = words_of("token auth jwt sig dsn bearer credential credentials pat otp sas pass pw creds")
_WEAK_LAST = words_of("key session sid salt seed cookie")
_HARMLESS = words_of(
    "public.key primary.key sort.key cache.key foreign.key partition.key csrf.token xsrf.token next.token "
    "page.token continuation.token cancellation.token cancel.token stop.token eos.token pad.token "
    "bos.token unk.token mask.token sep.token cls.token first.token last.token signature.key row.key "
    "composite.key unique.key public.token publishable.key site.key object.key s3.key dedupe.key "
    "idempotency.key group.key query.key index.key"
)
# Say which one, not what.
_QUALIFIERS = words_of(
    "value plain raw plaintext prod production staging stage dev development live local old new current "
    "base main default b64 base64 encoded confirm confirmation master test sandbox"
)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def parts(name: str) -> list[str]:
    """``dbApiKey2`` is ``["db", "api", "key", "2"]``."""
    return [part.lower() for part in _PARTS.findall(name[-96:])]


@lru_cache(maxsize=8192)
def grade(name: str) -> Grade:
    """The grade of an identifier, option, key or header name."""
    words = parts(name)
    while len(words) > 1 and (words[-1].isdigit() or words[-1] in _QUALIFIERS):
        words.pop()
    if not words:
        return Grade.NONE
    last, pair = words[-1], ".".join(words[-2:])
    if pair in _HARMLESS or words[0] in ("has", "is", "no", "use", "show", "num", "max", "min", "n"):
        return Grade.NONE
    if pair in _STRONG_PAIRS or last in _STRONG_LAST or last.endswith(_STRONG_ENDS):
        return Grade.STRONG
    if last in _TOKEN_LAST or last.endswith("token"):
        return Grade.TOKEN
    return Grade.WEAK if last in _WEAK_LAST or last.endswith("sessid") else Grade.NONE


def kind(name: str) -> str:
    """What the placeholder calls a value of that name."""
    words = "".join(parts(name))
    for noun, called in (("secret", "secret"), ("token", "token"), ("key", "key"), ("jwt", "token")):
        if noun in words:
            return called
    return "password"
