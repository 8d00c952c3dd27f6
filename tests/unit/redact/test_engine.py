"""Invariants: no planted secret survives, clean text is the same object, doubt is an error."""

from __future__ import annotations

import json
import re
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gittraj.errors import RedactionError
from gittraj.redact import LiveValues, Redactor, engine
from gittraj.redact.examples import draw, expand
from tests.sizes import size, some

KEY = b"k" * 32
PASSWORD = draw("word", 9)
TOKEN = "ghp_" + draw("base62", 36)

# fmt: off
FRAGMENTS = [
    "password", "token", "api_key", "secret", "=", ": ", '"', "'", "\\", "\\\\", "\n", "\\n", " ", "{", "}",
    ",", "--", "-p", "curl -u a:", "://", "@", "https://u:", "Bearer ", "Authorization: ", "Cookie: a=",
    ";", "&", "?", "<", ">", "</", "-----BEGIN ", "REDACTED-", "-n1", "REDACTED-password-n1",
    "REDACTED-key-0123abcd", "\x1b[31m", "\x7f", "\u00e9", "\U0001f600", "%3D", PASSWORD, TOKEN, "eyJ",
    "hello world", "x1",
]
# fmt: on
texts = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=6), max_size=24).map("".join)
names = st.none() | st.sampled_from(["password", "token", "key", "text", "aws_access_key_id"])


def redactor(live: LiveValues | None = None) -> Redactor:
    return Redactor(key=KEY, live=live)


@settings(max_examples=size(60, 400))
@given(text=texts, name=names)
def test_redacting_twice_is_redacting_once(text: str, name: str | None) -> None:
    first = redactor()
    once = first.text(text, name=name)
    assert first.text(once, name=name) is once
    assert redactor().text(once, name=name) is once
    if not first.replaced():
        assert once is text


@settings(max_examples=size(60, 400))
@given(before=texts, after=texts)
def test_a_planted_secret_never_survives(before: str, after: str) -> None:
    secret = "glpat-" + draw("url64", 20, "planted")
    for text in (
        f"{before} {secret} {after}",
        json.dumps([before, secret, after]),
        f"{before}\nDB_PASSWORD={secret}\n{after}",
    ):
        assert secret not in redactor().text(text)


@settings(max_examples=size(50, 200))
@given(before=texts, after=texts)
@example(before="", after="password,'")
def test_a_json_document_stays_valid(before: str, after: str) -> None:
    document = {
        "a": before,
        "password": PASSWORD,
        "b": [after, {"token": TOKEN}],
        "c": json.dumps({"secret": PASSWORD, "d": "x"}),
    }
    clean = redactor().text(json.dumps(document))
    assert set(json.loads(clean)) == set(document)
    assert json.loads(json.loads(clean)["c"])["d"] == "x"


def test_two_overlapping_secrets_are_redacted_completely() -> None:
    long, short = draw("base62", 24), draw("base62", 12, "more")
    clean = redactor(LiveValues((long, long[-10:] + short))).text(f"see {long}{short} there")
    assert re.fullmatch("see REDACTED-live-[0-9a-f]{8} there", clean)


def test_a_placeholder_is_kept_even_if_a_live_value_is_a_part_of_it() -> None:
    value = "github-token-" + "12ab34cd"
    one = redactor(LiveValues((value,)))
    assert value not in one.text(f"it was {value}")
    assert one.text(f"it was REDACTED-{value}") == f"it was REDACTED-{value}"


def test_a_whole_text_is_redacted_by_its_name() -> None:
    word = "heron" + "-lake-7"
    assert word not in redactor().text(word, name="password")
    assert redactor().text(word, name="title") is word


def test_a_learned_value_of_letters_alone_is_redacted() -> None:
    one = redactor()
    value = "Heron" + "SARIlEXAx" + "vBMaW"
    one.learn(f'password: "{value}"')
    assert value not in one.text(f"The word is {value} and I go on.")


def test_a_learned_value_is_redacted_wherever_it_is() -> None:
    one = redactor()
    drawn = draw("base62", 14)
    one.learn(f"export DB_PASSWORD={drawn}")
    one.learn(TOKEN, name="note")
    assert one.text(f"I saw {drawn} just now") == "I saw REDACTED-password-n1 just now"
    assert one.text(f"(it was {TOKEN[:16]}...)").startswith("(it was REDACTED-github-token-")
    assert [*one.replaced().values()] == ["learned", "learned"]
    assert redactor().text(f"I saw {drawn} just now") == f"I saw {drawn} just now"


@pytest.mark.parametrize("start", ["ATATT3xFfGF0", "ATBB"])
def test_a_token_of_jira_or_bitbucket_is_named_after_the_maker_of_both(start: str) -> None:
    clean = redactor().text(f"{start}x7Qd2Lw9Rk4Vn8Tz1Bm6Hs3Yc5Jf0Gp2AeUi")
    assert re.fullmatch("REDACTED-atlassian-token-[0-9a-f]{8}", clean)


def test_a_value_that_is_only_likely_a_secret_is_forgotten_with_its_trajectory() -> None:
    one = redactor()
    one.learn(f"password={PASSWORD}")
    assert PASSWORD not in one.text(f"it is {PASSWORD}")
    assert one.hashes() == frozenset()


@pytest.mark.parametrize(
    "text",
    [
        "function encryptSync(password: Uint8Array | string)",
        "secret: go.mod",
        "password: src/auth/login.py",
        "token = get_user_token",
    ],
)
def test_a_value_that_is_a_secret_only_by_its_name_is_not_redacted_elsewhere(text: str) -> None:
    one = redactor()
    one.learn(text)
    elsewhere = "elsewhere new Uint8Array(8) go.mod src/auth/login.py get_user_token"
    assert one.text(elsewhere) is elsewhere
    assert one.hashes() == frozenset()


@pytest.mark.parametrize(
    ("place", "chosen"),
    [
        *product(
            ("DB_PASSWORD={}", '{{"password": "{}"}}', "postgres://me:{}@db.example.org/x"),
            ("hunter2abc", "letmein123", "abc123}]=xy9"),
        ),
        ("-H 'X-Password: {}'", "hunter2abc"),
    ],
)
def test_a_chosen_password_at_an_unambiguous_position_is_redacted_elsewhere_too(
    place: str, chosen: str
) -> None:
    one = redactor()
    one.learn(place.format(chosen))
    assert chosen not in one.text(f"then it said {chosen} and went on")
    assert one.hashes() == frozenset()


@pytest.mark.parametrize("text", ["DB_PASSWORD=sunflower", "password: see login_form", "DB_PASSWORD=app"])
def test_a_common_word_at_an_unambiguous_position_stays_elsewhere(text: str) -> None:
    one = redactor()
    one.learn(text)
    elsewhere = "a sunflower beside the login_form of the app"
    assert one.text(elsewhere) is elsewhere


def test_a_common_word_is_never_learned() -> None:
    one = redactor()
    one.learn('password = "postgres"')
    one.learn("MODE=production\n", strict=True)  # it is redacted there, all the same
    text = "the postgres server in production"
    assert one.text(text) is text


def test_placeholders_reveal_only_which_values_are_equal() -> None:
    one = redactor()
    long_one, long_two = draw("base62", 30, 1), draw("base62", 30, 2)
    clean = [one.text(f"API_KEY={value}") for value in (long_one, long_two, long_one)]
    assert clean[0] == clean[2] != clean[1]
    assert all(re.fullmatch(r"API_KEY=REDACTED-key-[0-9a-f]{8}", text) for text in clean)
    assert Redactor(key=b"other").text(f"API_KEY={long_one}") != clean[0]
    assert [one.text(f"PASSWORD={value}") for value in ("tiger99x", "lion99xx", "tiger99x")] == [
        "PASSWORD=REDACTED-password-n1",
        "PASSWORD=REDACTED-password-n2",
        "PASSWORD=REDACTED-password-n1",
    ]


def test_a_placeholder_of_an_earlier_redactor_is_given_to_no_other_value() -> None:
    clean = redactor().text("password: REDACTED-password-n1\nnew_password: " + PASSWORD)
    assert clean == "password: REDACTED-password-n1\nnew_password: REDACTED-password-n2"
    texts = ["see REDACTED-password-n7 in the record", "new_password: " + PASSWORD]
    for _ in range(2):  # also if the cache knows that the first text has no secret
        one = redactor()
        for text in texts:
            one.learn(text)
        assert one.text(texts[1]) == "new_password: REDACTED-password-n8"


def test_a_secret_is_counted_once_however_often_it_occurs() -> None:
    one = redactor()
    one.text(f"{TOKEN} and {TOKEN}\nDB_PASSWORD={PASSWORD}")
    one.text(TOKEN)
    assert sorted(one.replaced().values()) == ["github-token", "named-password"]
    assert one.replaced() == {}, "each is returned only once"


def test_a_text_that_takes_too_long_is_an_error() -> None:
    hurried = Redactor(key=KEY, seconds_per_text=0)
    for scan in (hurried.text, hurried.learn):
        with pytest.raises(RedactionError, match="in its time"):
            scan("nothing to see here")


def test_an_unexpected_error_does_not_quote_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> str:
        raise ValueError(PASSWORD)

    monkeypatch.setattr(engine, "scan", fail)
    with pytest.raises(RedactionError) as caught:
        redactor().text(f"password={PASSWORD}")
    assert PASSWORD not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


# fmt: off
HOSTILE = [
    "\\", "password=", "curl ", "-----BEGIN ", "-----BEGIN " + "PRIVATE KEY-----\n", "=", '"', "a", "eyJ",
    "-eyJ", "://a:", "--token ", 'password="', "cookie: a=b;", "bearer ", "mysql -p", '\\"password\\":\\"x',
    "\x1b[31m", "\\u001b[", "AKIA", "REDACTED-a-", "machine a login b ", "password for ", "MHcCAQEEI",
    "value value", "password\n,", "token[",
]
# fmt: on


@pytest.mark.parametrize("piece", some(HOSTILE, 9))
def test_hostile_text_is_scanned_completely(piece: str) -> None:
    text = piece * (size(8_000, 60_000) // len(piece)) + f"\n {TOKEN} \nDB_PASSWORD={PASSWORD}\n"
    clean = Redactor(key=KEY, seconds_per_text=60).text(text)
    assert TOKEN not in clean
    assert PASSWORD not in clean


@pytest.mark.nightly
@pytest.mark.shared
def test_published_sessions_contain_no_secret(samples) -> None:  # type: ignore[no-untyped-def]
    """They were scanned before they were published: every match in them is a false one."""
    one = Redactor(key=KEY, seconds_per_text=60)
    for path in sorted(samples.rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            for name, text in _leaves(line):
                assert one.text(text, name=name) is text
    assert not one.replaced()


def _leaves(line: str) -> list[tuple[str | None, str]]:
    try:
        todo: list[tuple[str | None, object]] = [(None, json.loads(line))]
    except ValueError:
        return [(None, line)]
    found: list[tuple[str | None, str]] = []
    while todo:
        name, value = todo.pop()
        if isinstance(value, str):
            found.append((name, value))
        elif isinstance(value, dict):
            todo += value.items()
        elif isinstance(value, list):
            todo += [(None, item) for item in value]
    return found


def test_a_template_is_expanded_as_it_says() -> None:
    text, secrets = expand("a {hex:32} b")
    assert re.fullmatch(r"a [0-9a-f]{32} b", text)
    assert secrets == [text[2:34]]
