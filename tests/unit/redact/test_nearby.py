"""Values near a name, in an object, in a row, after gutters; and values that only seem to be."""

from __future__ import annotations

import json

import pytest

from gittraj.redact import Redactor
from gittraj.redact.examples import draw, expand
from gittraj.redact.proof import Proof, proof

SECRET = [
    "their API secret got rotated yesterday, the new one is {hex:40} and the client id stays",
    "You can sign in as bob with {base62:18}.",
    "login as {base62:18}",
    "the db pass has changed from {word:9} to {word:10}",
    "what's the wifi pass again?\n[2025-09-15 14:26] ops: {word:9}x",
    "child.expect('password:')\nchild.sendline('{word:9}')",
    "cy.get('[name=pwd]').type('{word:9}{{enter}}')",
    'users = {\n  grafana = "{word:9}"   # password of the database\'s user\n}',
    '#[arg(long, default_value = "{word:9}")]\npassword: String,',
    '{{"outputs":{{"admin_password":{{"sensitive":true,"value":"{word:9}"}}}}}}',
    "INSERT INTO users (name, password) VALUES ('bob', '{word:9}');",
    "   240\tpassword:\n   241\t  - {word:9}",
    "config/a.env:3:PORT=1\nconfig/a.env:4:DB_PASSWORD={word:9}",
    "│ Token: ghp_{base62:36} │\n│        {base62:32} │",
    "printf '%s\\n' '{word:9}' | cryptsetup luksOpen /dev/sdb1 x -",
    'ks.load(in, "{word:10}".toCharArray());',
    "TOTP secret: " + " ".join(["{base32:4}"] * 8),
    "MFA setup key {base32:16} (enter in your app)",
    "static uint8_t aes_key[16] = {{ 0x{hex:2}, 0x{hex:2}, 0x{hex:2}, 0x{hex:2}, 0x{hex:2}, 0x{hex:2}, 0x{hex:2}, 0x{hex:2}, 0x{hex:2} }};",  # noqa: E501
    '  ~ master_password = "old{word:8}" -> "{word:9}"',
    '-define(SECRET, "{word:9}").',
    '["curl","-u","me:{word:9}","https://h"]',
    "id\temail\tapi_token\n10\tme@example.org\t{base62:40}",
    "API密钥：{base62:32}",
    "    DefaultPassword    REG_SZ    {digits:6}",
    '{{"currentValue":"{base62:40}","scope":"staging","key":"STRIPE_SECRET"}}',
    '{{"element":"Password field","ref":"e65","text":"{word:9}"}}',
    "echo {lowrare:8} tiger summer copper {lowrare:8} > /root/.restic-pass",
    "user, password = 'me', '{word:9}'",
    "N8N_ENCRYPTION_KEY={hex:24}",
]
HARMLESS = [
    "HEAD is now at 1a2b3c4 use SecretStr for db_password",
    "100644 blob 4b825dc642cb6eb9a060e54bf8d69288fbee4904\tsrc/auth/password.ts",
    "gpg: using EDDSA key 4B825DC642CB6EB9A060E54BF8D69288FBEE4904",
    "the password is hashed with argon2id and sha512",
    "A JWT looks like `eyJhbGciOiJIUzI1NiJ9...` and has three parts",
    "Permission denied (publickey,password). [proxmox01]",
    "colors: { primary: '#3fb3f2', secret: '#52cf28' }",
    "password: {{ .Values.auth.password | b64enc | quote }}",
    'resource "random_password" "database" {\n  length = 24\n}',
    "def login(user, password):\n    return self.call('LOGIN', user, password)",
    "helm upgrade worker . --set auth.existingSecret=shop",
    "text.encode('utf-8', 'surrogateescape')",
    "text.decode('iso-8859-1', 'strict')",
    "ED25519 key fingerprint is SHA256:" + draw("base62", 43) + " of vpn.example.org",
    "encryptedData:\n  password: AgB" + draw("base64", 200),
    '"dependencies": {"generate-password": "^1.7.1"}',
    'implementation("io.jsonwebtoken:jjwt-api:0.12.4")',
    'Include="System.IdentityModel.Tokens.Jwt" PublicKeyToken="' + draw("hex", 16) + '"',
    "Cache restored from key: v1-deps-" + draw("base64", 43) + "=",
    "target/debug/deps/token_store-" + draw("hex", 16) + ".rlib",
    '[{"cache-control", "private"}, {"x-request-id", "' + draw("url64", 20) + '"}], secret_key_base: :...',
    'logger.debug("[OAuth2AuthProvider] Auth failure, clearing token")',
    " -P|--pass <passphrase>   passphrase for the private key",
    "may exceed 2 GiB, pass 'force_zip64' to use it",
    "Code Command Palette (`Cmd+Shift+P` or `Ctrl+Shift+P`)",
    'smtp.add_feature("AUTH CRAM-MD5") of login',
    'def apop(self, user, password):\n    """Authorisation\n\n    - only if the server can do it2\n    """',
    "# bpo-10496: pwd.getpwuid() may fail",
    "/" + "ghp_[a-zA-Z0-9]{36}/, // GitHub personal access token",
    "srvtoolu_01" + draw("base62", 22) + ' web_search "bearer token rotation"',
    "iVBOR" + draw("base64", 60) + "+pass" + draw("base64", 60) + "+pw" + draw("base64", 80),
]


def redact(text: str) -> str:
    return Redactor(key=b"k" * 32).text(text)


@pytest.mark.parametrize("template", SECRET)
def test_a_value_near_its_name_is_redacted(template: str) -> None:
    for seed in range(5):
        text, secrets = expand(template.replace("{{", "\1").replace("}}", "\2"), seed)
        text = text.replace("\1", "{").replace("\2", "}")
        for shown in (text, json.dumps({"output": text})):
            clean = redact(shown)
            assert not [secret for secret in secrets if secret in clean], clean


@pytest.mark.parametrize("text", HARMLESS)
def test_a_value_that_only_seems_near_a_name_stays(text: str) -> None:
    assert redact(text) is text
    document = json.dumps({"output": text})
    assert redact(document) is document


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("argon2id", Proof.NONE),
        ("some-name", Proof.NONE),
        ("v1.2.3", Proof.NONE),
        ("48213", Proof.SLIGHT),
        ("hunter22x", Proof.FAIR),
        ("9b2c1d3e-4f50-4617-8291-a2b3c4d5e6f7", Proof.GOOD),
        ("Two.words_And77", Proof.SURE),
        ("0x" + "ab12" * 10, Proof.NONE),
        ("OAuth2AuthProvider", Proof.NONE),
        ("list2cmdline", Proof.NONE),
        ("BinGOs", Proof.NONE),
        ("U+10FFFF", Proof.NONE),
    ],
)
def test_a_values_form_proves_how_likely_it_is_a_secret(value: str, expected: Proof) -> None:
    assert proof(value) is expected
