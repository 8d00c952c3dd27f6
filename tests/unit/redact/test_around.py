"""A secret is redacted whatever a pager, a search or a terminal put around it; a lookalike stays."""

from __future__ import annotations

import pytest

from gittraj.redact import Redactor
from gittraj.redact.examples import draw, expand

KEY = "\n".join(
    ["-----BEGIN RSA \u0050RIVATE KEY-----"]
    + [draw("base64", 64, line) for line in range(6)]
    + ["-----END RSA \u0050RIVATE KEY-----"]
)
BYTES = ", ".join(f"0x{draw('hex', 2, n)}" for n in range(16))
COUNTED = ", ".join(map(str, range(1, 17)))


def redact(text: str) -> str:
    return Redactor(key=b"k" * 32).text(text)


def test_a_long_list_of_numbers_below_a_word_for_codes_ends() -> None:
    numbers = "\n".join(str(1_700_000_000 + n * 60) for n in range(230))
    assert redact(f"last backup key id 20231\n{numbers}").startswith("last backup key id 20231\n")


@pytest.mark.parametrize("gutter", ["key.pem:{}:", "  {}\t", "{}\t", "{}→"])
def test_a_private_key_is_redacted_whatever_is_before_its_lines(gutter: str) -> None:
    text = "\n".join(gutter.format(n) + line for n, line in enumerate(KEY.split("\n"), 1))
    clean = redact(text)
    assert not [line for line in KEY.split("\n")[1:-1] if line in clean]


REDACTED = {
    "a name and its value in lines of a search": "d.yml:3:  - name: API_TOKEN\nd.yml:4:    value: {word:14}",
    "a block in lines of a search": "a.yml:3:  password:\na.yml-4-    sunflower-harbor-{digits:2}",
    "a table in lines of a search": "f.csv:1:name,password\nf.csv:2:bob,{word:14}",
    "a value in numbered lines": "2\t  - name: API_TOKEN\n3\t    value: {word:14}",
    "the password beside a user": "./deploy.sh -u bob -p {word:11}",
    "the password before a user": "java -jar app.jar -p {word:11} --user bob",
    "an option that is hardly anything else": "htcli -w {word:9}&3x",
    "cookies of a browser": "SSID=A5{base62:15}; SID=g.a{base62:60}; HSID={base62:17}",
    "each cookie of a header": "Cookie: a=b; theme=dark; sid={hex:32}; lang=de; version_token={hex:32}",
    "settings below a prompt": "bob@h:~$ cat .env\nSMTP_LOGIN={word:11}\n# sentry\nSENTRY={hex:32}\n",
    "a word below the name of its file": "token.txt:\n{base62:32}\n",
}


@pytest.mark.parametrize("template", REDACTED.values(), ids=REDACTED.keys())
def test_a_secret_is_redacted_whatever_is_around_it(template: str) -> None:
    text, secrets = expand(template)
    clean = redact(text)
    assert not [secret for secret in secrets if secret in clean], clean


@pytest.mark.parametrize(
    ("before", "token", "columns"),
    [
        (f"Endpoint=https;Account={'foobar' * 10};AccountKey=", draw("base64", 86) + "==", 120),
        ("", "sk-ant-api03-" + draw("url64", 93) + "AA", 40),
        ("the session is ", f"eyJ{draw('base62', 33)}.eyJ{draw('url64', 99)}.{draw('url64', 43)}", 53),
        ("the session is ", f"eyJ{draw('base62', 33)}.eyJ{draw('url64', 99)}.{draw('url64', 43)}", 80),
    ],
)
def test_a_token_wrapped_by_a_terminal_is_redacted_completely(before: str, token: str, columns: int) -> None:
    whole = before + token
    lines = [whole[at : at + columns] for at in range(0, len(whole), columns)]
    clean = redact("\n".join(lines) + "\nDone in 2.3s, see build-2024.tar.gz\n")
    assert not [line for line in lines[1:] if line in clean], clean
    assert clean.endswith("\nDone in 2.3s, see build-2024.tar.gz\n")


@pytest.mark.parametrize(
    "text",
    [
        f"static const uint8_t hmac_key[16] = {{\n  {BYTES}}};",
        "signing_key = [167, 13, 44, 9, 201, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 200]",
        "wallet_secret = [167, 13, 44, 9, 201, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 200]",
        '{"key": [167, 13, 44, 9, 201, 5, 61, 7, 82, 9, 103, 11, 120, 13, 14, 200]}',
    ],
)
def test_a_list_of_bytes_named_like_a_key_is_redacted(text: str) -> None:
    assert "REDACTED-key-" in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        f"seed = [{COUNTED}]",
        f"sort_key = ({COUNTED})",
        f'{{"key": [{COUNTED}]}}',
        '{"key": [16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]}',
        '{"key": [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3]}',
        '{"key": [640, 480, 320, 240, 1, 2, 800, 600, 3, 4, 5, 6, 7, 8, 9, 200]}',
        f"color_by_key = [{COUNTED}]",
        f"monkey = [{COUNTED}]",
        "grep cookie a.log; COMMIT=3a5cd1e9fefb7d46b21e0c5a9d3f8e7b6c2a1d40; make",
        "if (cookie) { store() } ; checksum=d41d8cd98f00b204e9800998ecf8427e",
        "# cookie consent\nexport A=1; IMAGE=nginx-1.25-alpine3x; run",
        "password.setAttribute('autocomplete', 'off')",
        "pin.write('HIGH')",
        "pin.setName('GPIO17')",
        'echo "Release2024.11" | tee authors.txt',
        'echo "user1:x:1000" > passwd',
    ],
)
def test_a_text_that_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact(text) == text
