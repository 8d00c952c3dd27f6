"""Names and values: secrets recognized by a name, in any syntax, and values that must stay."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest

from gittraj.redact import Redactor
from gittraj.redact.examples import draw, expand
from gittraj.redact.names import Grade, grade

SECRET = [
    "DB_PASSWORD={word:9}",
    "export PGPASSWORD='{word:9}'",
    "PGPASSWORD={word:9} psql -h h",
    "AWS_SECRET_ACCESS_KEY={base62:40}",
    "aws_secret_access_key = {base62:40}",
    "SECRET_KEY_BASE={hex:64}",
    "OPENAI_API_KEY_2={base62:20}",
    "password: {word:9}",
    "  password:   {word:12}  # of the database",
    'password = "{word:9}"',
    "password := `{word:9}`",
    "self.password = '{word:9}'",
    "config['password'] = '{word:9}'",
    'config.set("password", "{word:9}")',
    'client.setPassword("{word:9}")',
    'const apiKey: string = "{base62:24}";',
    'var password string = "{word:9}"',
    "password: Optional[str] = '{word:9}'",
    'assert user.password == "{word:9}"',
    ':password => "{word:9}",',
    '{"password": "{word:9}"}',
    '{"Password":"{word:9}","n":1}',
    '{"name": "DB_PASSWORD", "value": "{word:9}"}',
    "- name: API_TOKEN\n  value: {word:12}",
    '["--password", "{word:9}"]',
    "<password>{word:9}</password>",
    '<add key="Password" value="{word:9}"/>',
    '<string name="api_key">{base62:24}</string>',
    "<key>password</key>\n\t<string>{word:9}</string>",
    "Server=db;User Id=sa;Password={word:9};Encrypt=yes",
    "jdbc:mysql://h/db?user=a&password={word:9}&ssl=true",
    "https://h/cb?access_token={hex:40}&state=1",
    "//registry.npmjs.org/:_authToken={base62:36}",
    "tool --password {word:9} x",
    "tool --password={word:9} x",
    "tool --db-password '{word:9}'",
    "tool --api-key {base62:20}",
    "java -Dpassword={word:9} -jar x",
    "-H 'X-Api-Key: {base62:20}'",
    "token: {base62:32}",
    '"token": "{hex:40}"',
    "session_key = {base62:32}",
    "client_secret: |\n  {base62:32}\nnext: 1",
    "CREATE ROLE x WITH PASSWORD '{word:9}'",
    "\x1b[36mDB_PASSWORD\x1b[0m=\x1b[33m{word:9}\x1b[0m",
    "     7\tDB_PASSWORD={word:9}",
    "+DB_PASSWORD={word:9}",
]

HARMLESS = [
    "password: string",
    "password?: string;",
    "password: Optional[str] = None",
    "token = get_token()",
    "token = await client.fetchToken(user)",
    "password = os.environ['PASSWORD']",
    'password = os.environ["DB_PASSWORD"]',
    "apiKey: process.env.OPENAI_API_KEY,",
    "API_KEY=${API_KEY}",
    "API_KEY=$API_KEY",
    'token: "${{ secrets.GITHUB_TOKEN }}"',
    "password: <password>",
    "password=xxxxxxxx",
    "password: changeme",
    "PASSWORD=your-password-here",
    "password: ****",
    'password: ""',
    "password: null",
    "password=password",
    "connect(user=user, password=self.password)",
    "max_tokens=4096",
    "max_tokens: 4096, total_tokens: 12345678",
    '"input_tokens": 12345678',
    "token_count = 20000000",
    "aws_key_id: abc",
    "PASSWORD_FILE=/run/secrets/db_password_1",
    "secret: /run/secrets/db1",
    "key: value",
    '{"key": "some-setting-name-2"}',
    'if (token.type === "identifier") {',
    "for key, value in items: pass",
    "--- PASS: TestThing (0.00s)",
    "use --password or --token to log in",
    "the `--token` flag is required",
    '"password": "Password must be at least 8 characters."',
    'placeholder="Enter your password"',
    "author: A U Thor <author@example.com>",
    "authors = ['A U Thor']",
    "primary_key: 9f2b61d04c7e4f2a8d9b1c3e5f708192",
    "public_key: MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE5Zs1kq0bX9",
    "tokenizer = Tokenizer2(model='bert-base-uncased-v1')",
    "monkeypatch: 12345678a",
    "model: claude-sonnet-4-20250514",
]


def redact(text: str, name: str | None = None) -> str:
    return Redactor(key=b"k" * 32).text(text, name=name)


@pytest.mark.parametrize("template", SECRET)
def test_the_value_of_a_secret_name_is_redacted_and_the_name_stays(template: str) -> None:
    for seed in range(6):
        text, secrets = expand(template, seed)
        clean = redact(text)
        assert secrets[0] not in clean, clean
        before, after = text.split(secrets[0])
        assert clean.startswith(before)
        assert clean.endswith(after)


@pytest.mark.parametrize("template", SECRET)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_only_the_value_is_redacted_in_nested_json(template: str, depth: int) -> None:
    text, secrets = expand(template)
    document = text
    for _ in range(depth):
        document = json.dumps({"text": document})
    clean = redact(document)
    for _ in range(depth):
        clean = json.loads(clean)["text"]
    before, after = text.split(secrets[0])
    assert clean.startswith(before)
    assert clean.endswith(after)
    assert secrets[0] not in clean


@pytest.mark.parametrize("text", HARMLESS)
def test_a_text_that_only_looks_like_an_assignment_stays(text: str) -> None:
    assert redact(text) is text
    document = json.dumps({"text": text})
    assert redact(document) is document


@pytest.mark.parametrize(
    "text",
    [
        "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        "id: 9b2c1d3e-4f50-4617-8291-a2b3c4d5e6f7",
        '"sessionId":"9b2c1d3e-4f50-4617-8291-a2b3c4d5e6f7"',
        '"integrity": "sha512-' + draw("base64", 86) + '=="',
        "github.com/x/y v1.2.3 h1:" + draw("base64", 43) + "=",
        "toolu_01" + draw("base62", 22),
        "call_" + draw("base62", 24),
        "msg_01" + draw("base62", 22),
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + draw("base64", 43) + " a@example.com",
        "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
        'if "-----BEGIN PRIVATE KEY-----" in text and text.endswith("-----END PRIVATE KEY-----"):',
        "/home/dev/projects/token_service/src/keys/secret_store.py:42",
    ],
)
def test_ids_and_public_values_stay(text: str) -> None:
    assert redact(text) is text


def test_a_value_that_ends_like_a_secrets_name_is_redacted_if_it_is_random() -> None:
    """Its ending is accidental, and its letters make no words."""
    assert "KoS4" not in Redactor(key=b"k" * 32).text("DB_PASSWORD=Heron" + "LPRAIN0zKoS4Pw")
    assert Redactor(key=b"k" * 32).text("password = oauth2TokenV2") == "password = oauth2TokenV2"


def test_a_whole_value_is_redacted_by_its_key() -> None:
    assert redact("hunter2", "password") == "REDACTED-password-n1"
    assert redact("letmeinplease", "clientSecret") == "REDACTED-secret-n1"
    assert redact("AKIA" + draw("base32", 16), "aws_access_key_id").startswith("REDACTED-aws-key-id-")
    for name, text in [
        ("password", "<password>"),
        ("max_tokens", "hunter2"),
        ("token_count", "12345678"),
        ("note", "hunter2"),
    ]:
        assert redact(text, name) is text


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("password", Grade.STRONG),
        ("PGPASSWORD", Grade.STRONG),
        ("dbApiKey2", Grade.STRONG),
        ("API_KEY_PRODUCTION", Grade.STRONG),
        ("client-secret", Grade.STRONG),
        ("auth_token", Grade.STRONG),
        ("token", Grade.TOKEN),
        ("jwt", Grade.TOKEN),
        ("session", Grade.WEAK),
        ("key", Grade.WEAK),
        ("max_tokens", Grade.NONE),
        ("key_id", Grade.NONE),
        ("password_hash", Grade.TOKEN),
        ("public_key", Grade.NONE),
        ("secret_path", Grade.NONE),
        ("author", Grade.NONE),
        ("", Grade.NONE),
    ],
)
def test_the_last_part_of_a_name_decides(name: str, expected: Grade) -> None:
    assert grade(name) is expected


@pytest.mark.parametrize("value", ["S3cretPw9", "Password1!"])
def test_a_password_made_of_the_words_for_one_is_redacted(value: str) -> None:
    assert value not in redact(f"DB_PASSWORD={value}")


OCTETS = ", ".join(f"0x{17 * n % 256:02x}" for n in range(3, 19))


@pytest.mark.parametrize(
    "before",
    [
        "byte[] secretKey = new byte[] { ",
        "let encryption_key: [u8; 16] = [",
        "hmac_key = bytes([",
        "var signingKey = []byte{",
        "const secret = Uint8Array.from([",
        "byte[] key = {",
        "static const uint8_t KEY[16] = {",
        "const KEY: [u8; 16] = [",
        "SIGNING_KEY: &[u8] = &[",
        "static SIGNING_KEY: &'static [u8] = &[",
        "hmac_key: Vec<u8> = vec![",
        "let secretKey: [UInt8] = [",
        "const KEY = new Uint8Array([",
    ],
)
def test_the_bytes_of_a_key_are_redacted_in_the_syntax_of_any_language(before: str) -> None:
    assert OCTETS not in Redactor(key=b"k" * 32).text(f"{before}{OCTETS}]);")


@pytest.mark.parametrize(
    "numbers",
    [
        (37, 38, 39, 40, *range(80, 64, -1)),
        range(10, 170, 10),
        (512, 300, 200, 100) * 4,
        (0, 2, 4, 5, 7, 9, 11, 12, 14, 16, 17, 19, 21, 23, 24, 26),
    ],
)
@pytest.mark.parametrize(
    "form", ["const key = [{}];", "val key = listOf({})", '{{"key": [{}]}}', "int KEY[] = {{{}}};"]
)
def test_numbers_that_are_not_random_stay_under_the_name_key(form: str, numbers: Iterable[int]) -> None:
    text = form.format(", ".join(map(str, numbers)))
    assert Redactor(key=b"k" * 32).text(text) == text


def test_the_bytes_of_a_key_are_redacted_over_lines_that_end_with_a_comma() -> None:
    octets = ", ".join(str(int(octet, 16)) for octet in OCTETS.split(", "))
    assert octets not in Redactor(key=b"k" * 32).text(f"const KEY: [u8; 16] = [\n    {octets},\n];")


@pytest.mark.parametrize(
    "text",
    [
        "let key: Vec<u8> = vec![];",
        "api_key: Option<String>,",
        'static SECRET_KEY: &[u8] = include_bytes!("k.bin");',
    ],
)
def test_a_type_and_an_empty_list_of_bytes_stay(text: str) -> None:
    assert Redactor(key=b"k" * 32).text(text) == text


@pytest.mark.parametrize("name", ["sbox", "table", "sort_keys", "crc"])
def test_bytes_of_anything_else_stay(name: str) -> None:
    text = f"static const uint8_t {name}[16] = {{{OCTETS}}};"
    assert Redactor(key=b"k" * 32).text(text) == text
