"""What is no secret stays, whichever rule would take it; what stands in the same way and is one, goes."""

from __future__ import annotations

import pytest

from gittraj.redact import Redactor
from gittraj.redact.examples import expand

STAYS = (
    "Authentication OK, MD5 {hex:32}",
    "wg pubkey < /etc/wireguard/private.key   # -> {base64:43}=",
    "GIT_CREDS = credentials('{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}')",
    "TokenService : issued token id={hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12} ttl=90s",
    '{"key_id":"9336071","key":"{base64:43}=","comment":"public key used to encrypt repository secrets"}',
    "SECRET_KEY_BASE  {hex:16}  13d ago",
    "  encryptedData:\n    password: Ag{base62:120}\n",
    "const user = await User.findById('{hex:24}').select('-password -__v');",
    "Sec-WebSocket-Key: {base64:22}==",
    "Resetting offset for password-events partition pw-0 to {digits:6}",
    "address constant TOKEN = 0x{hex:40}; // ERC-20",
    "no SMTP password, see wiki/{digits:5}",
    "creds = data_bag_item('secrets', 'mailer')",
    '"jwt": {:hex, :joken, "2.6.5", "{hex:64}", [:mix], [], "hexpm", "{hex:64}"},',
    "gdzie jest hasło do ci-stg-{digits:2}?",
    "pin actions/checkout to {hex:40} please",
    "| browser | logins | failed password |\n|---|---|---|\n| Chrome | 20405 | {digits:4} |",
    "target/debug/deps/auth-{hex:16}: 12 symbols not found",
    "[user]\n\tsigningkey = {hexup:16}",
    'password: "***REMOVED***"',
)
GOES = (
    " ip ospf message-digest-key 1 md5 {word:9}",
    "wg genkey > a; private key: {base64:43}=",
    '{"pubkey":"mine","secret_key":"{base58:88}"}',
    "Accessor ID  = x\n  Secret ID    = {hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}",
    "HSM-Partition 63, die PIN vom Crypto Officer ist {digits:6}, bitte merken",
    "u.set_password('{word:9}'); u.save()",
)


@pytest.mark.parametrize("template", STAYS)
def test_what_is_public_stays(template: str) -> None:
    for seed in range(6):
        text, _ = expand(template, seed)
        assert Redactor(key=b"k" * 32).text(text) == text


@pytest.mark.parametrize("template", GOES)
def test_what_stands_alike_and_is_a_secret_goes(template: str) -> None:
    for seed in range(6):
        text, secrets = expand(template, seed)
        clean = Redactor(key=b"k" * 32).text(text)
        assert not [secret for secret in secrets if len(secret) > 5 and secret in clean], clean


@pytest.mark.parametrize("word", ["sunflower", "buttercup", "wintergarten"])
def test_a_word_that_is_told_goes(word: str) -> None:
    assert word not in Redactor(key=b"k" * 32).text(f"the wifi password is {word}, tell nobody")
