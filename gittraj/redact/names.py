"""What a name says about its value: ``DB_PASSWORD`` is a secret, ``max_tokens`` and ``key_id`` are not.

The last part of a name decides, after the parts that only say which one it is (``API_KEY_PROD_2``).
A tail that isn't the noun of a secret (``_id``, ``_path``, ``_count``, ``_url``) so makes it harmless.
"""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache

from .lazy import lazy


class Grade(IntEnum):
    """How much the name alone proves."""

    NONE = 0
    WEAK = 1  # only a random value is a secret
    TOKEN = 2  # a random or a long one
    STRONG = 3  # any value that isn't a placeholder


def words_of(text: str) -> frozenset[str]:
    """The words of a list that is written as text."""
    return frozenset(text.split())


# "Password" in other languages, lower-case, as it begins; what follows may be an inflection.
CJK = (
    "비번",
    "驗證碼",
    "验证码",
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "暗証番号",
    "비밀번호",
    "암호",
    "รหัสผ่าน",
)
ALPHABETIC = (
    "mdp",
    "passwor",
    "kennwort",
    "losungswort",
    "contrase",
    "motdepasse",
    "motsdepasse",
    "senha",
    "palavra-passe",
    "parola",
    "haseł",
    "hasło",
    "haslo",
    "пароль",
    "пароля",
    "паролем",
    "паролі",
    "парола",
    "лозинка",
    "heslo",
    "lösenord",
    "losenord",
    "wachtwoord",
    "adgangskode",
    "kodeord",
    "salasana",
    "jelszó",
    "jelszava",
    "şifre",
    "sifre",
    "κωδικός",
    "κωδικό",
    "סיסמה",
    "הסיסמה",
    "הסיסמא",
    "סיסמא",
    "סיסמת",
    "पासवर्ड",
    "geslo",
    "zaporka",
    "lozinka",
    "slaptažodis",
    "parole",
    "salasõna",
    "passord",
    "mậtkhẩu",
    "katasandi",
    "كلمةالمرور",
    "كلمةالسر",
    "گذرواژه",
    "parolă",
)
FOREIGN = (*CJK, *ALPHABETIC)
# … and as phrases of several words.
PHRASES = (
    r"mots? de passe|palavra[- ]passe|clave de acceso|código secreto|mật khẩu|kata sandi|كلمة (?:المرور|السر|مرور)|رمز عبور|"
    r"pass phrase|pass code|secret phrase|phrase (?:secrète|de passe|de récupération)|(?:recovery|seed|backup) (?:phrase|words|codes?)|clé (?:d'api|api|secrète)|"
    r"kata laluan|koden til|clave (?:api|secreta)|api[- ]schlüssel|chave (?:de api|secreta|da api)|api[- ]?ключ|секретный ключ|"
    r"(?:api|access|secret|private|signing|encryption|license|licence|product|activation|shared) key"
)
# What a name that is worth a look has in it; those with "." must not go on with a letter.
_STEMS = (
    "pass pasw pwd pw. phrase psk pin. pat. puk. secret session sid. sig. seed salt. sas. token key auth cred dsn jwt mnemonic "
    "otp bearer cookie community code codici codigos código contrase clave chave mfa. hmac kennwort losungswort mdp. haslo heslo "
    "wachtwoord adgangskode kodeord losenord lozinka login zugangsd anmelded identifiants geslo zaporka 2fa parola "
    "senha salasana jelszava sifre sess. palavra identified openssl tok. assword clau. pwgen genkey genpsk $user jeton gettone llave chiave sleutel nyckel avain kulcs klucz anahtar kunci pepper. serial. license licence unlock account. decrypt geheim dockerconfigjson"
)
STEMS = (
    *tuple((stem.removesuffix("."), stem.endswith(".")) for stem in _STEMS.split()),
    ("mot de p", False),
    ("log in", False),
    ("logged in", False),
    ("logging in", False),
    ("sign in", False),
    ("signed in", False),
    ("mots de p", False),
    ("kata s", False),
    ("kata l", False),
    ("koden t", False),
)
ALL_STEMS = STEMS + tuple(
    (stem, False)
    for stem in (
        *(word for word in FOREIGN if not word.isascii()),
        *[
            "секрет",
            "токен",
            "ключ",
            "доступ",
            "логин",
            "令牌",
            "密钥",
            "密鑰",
            "秘密",
            "トークン",
            "토큰",
            "schlüssel",
            "clé",
            "كلمة",
            "hasł",
            "رمز",
            "klíč",
            "ključ",
            "キー",
            "키",
            "κλειδί",
            "מפתח",
            "مفتاح",
            "कुंजी",
            "nøkkel",
            "nøgle",
            "код",
            "코드",
            "コード",
        ],
        "mật khẩu",
    )
)
# Nouns at the end of a name, also glued to what stands before them (PGPASSWORD, authtoken).
_STRONG_ENDS = (
    "password",
    "passwords",
    "passwd",
    "passwrd",
    "passwort",
    "passphrase",
    "passcode",
    "userpass",
    "dbpass",
    "mysqlpass",
    "requirepass",
    "bindpw",
    "rootpw",
    "masterauth",
    "pwd",
    "secret",
    "mnemonic",
    "apikey",
    "apisecret",
    "secretkey",
    "accesskey",
    "privatekey",
    "privkey",
    "authtoken",
    "accesstoken",
    "apitoken",
    "bottoken",
    "refreshtoken",
    "sessiontoken",
    "bearertoken",
    "authkey",
    "signingkey",
    "encryptionkey",
    "storepass",
    "keypass",
    "passkey",
    "assword",
    "dockerconfigjson",
    "masterkey",
    "wpapsk",
    "sharedkey",
    "accountkey",
    "licensekey",
    "psk",
    "authpass",
    "privpass",
    "adminpass",
    "rootpass",
    "smtppass",
    "mailpass",
    "keypassword",
    "webhooksecret",
    "clientsecret",
    "networkkey",
    "pskc",
    "appcertificate",
)
_STRONG_LAST = words_of(
    "psk clave pin pass pw passw paswd pasword pincode passwd puk pswd passwrd credential psw kennwort hasło haslo senha contrasena contraseña parola "
    "heslo geheim geheimnis wachtwoord lösenord losenord salasana jelszó passord adgangskode пароль 密码 密碼 パスワード 비밀번호 암호 şifre sifre parool lozinka "
    "口令 секрет токен schlüssel"
)
_STRONG_PAIRS = words_of(
    "api.key access.key secret.key private.key signing.key encryption.key master.key account.key "
    "storage.key shared.key preshared.key service.key license.key licence.key auth.key seed.phrase recovery.phrase "
    "security.token access.token auth.token api.token bot.token refresh.token session.token bearer.token "
    "personal.token deploy.token admin.token github.token gitlab.token gh.token npm.token slack.token "
    "id.token private.token subscription.key deploy.key jwt.key hmac.key aes.key root.token "
    "pass.phrase key.pass store.pass vault.token consumer.key application.key app.key des.key admin.key key.material auth.key session.key pre.shared recovery.code recovery.codes "
    "backup.code backup.codes de.passe d.ordine cookie.salt password.salt totp.seed otp.seed backup.phrase secret.phrase secret.words recovery.words key.data "
    "snmp.community rocommunity rwcommunity write.key integration.key ingest.key webhook.token wallet.seed wif.key "
    "registration.token join.token cluster.token node.token runner.token unlock.key unseal.key stream.key api.secret "
    "app.certificate ps.kc validation.key machine.key appkey app.key tsig.key wep.key wpa.passphrase ipsec.secret radius.secret host.key crypt.key cipher.key decryption.key "
    "certificate.key psk.c network.key mesh.key link.key pin.code access.code access.codes door.code alarm.code instrumentation.key setup.key"
)
_TOKEN_LAST = words_of(
    "token tokens secrets auth jwt sig dsn bearer credentials pat otp sas creds authorization community totp mfa "
    "tok oauth webhook hmac phpsessid jsessionid sessionid cookie apisid sapisid psid sid sess connectionstring"
)
_TOKEN_PAIRS = words_of(
    "pos.key 24.crc connection.string conn.string auth.header password.hash passwd.hash pwd.hash pass.hash code.verifier config.pepper auth.pepper nt.hash ntlm.hash"
)
_WEAK_LAST = words_of("key keys session salt seed code login api")
_HARMLESS = words_of(
    "public.key primary.key sort.key cache.key foreign.key partition.key next.token "
    "page.token progress.token continuation.token cancellation.token cancel.token stop.token eos.token pad.token "
    "bos.token unk.token mask.token sep.token cls.token first.token last.token signature.key row.key "
    "composite.key unique.key public.token publishable.key site.key object.key s3.key dedupe.key "
    "idempotency.key group.key query.key index.key pub.key sync.token next.page.token hash.key range.key "
    "map.key dict.key json.key column.key column.keys known.hosts source.hash file.hash commit.hash "
    "content.hash status.code exit.code error.code zip.code postal.code country.code language.code lang.code "
    "response.code return.code source.code qr.code vs.code hot.key short.code http.code promo.code no.pass "
    "random.seed by.pass special.tokens max.tokens prompt.tokens completion.tokens total.tokens input.tokens "
    "output.tokens key.hash test.pass first.pass second.pass render.pass multi.pass compiler.pass optimization.pass "
    "enter.key tab.key escape.key space.key arrow.key shift.key ctrl.key delete.key id.key issue.key project.key i18n.key translation.key "
    "user.signingkey issues.key prop.key config.key setting.key registry.key lookup.key aggregate.key event.key"
)
# Say which one, not what.
# A key of these is none to a lock.
_ADJECTIVES = words_of(
    "cache manifest content row data file image asset blob chunk object query dedupe dedup build lock item group hash message template event index partition "
    "shard composite entity parent child node state trace request record table column field form react component module package menu tab hot arrow "
    "label locale lang text search filter order tree cell slot user parameter param map list set dict storage topic queue metric tag header cookie "
    "route job task step stage pipeline artifact layer checkpoint fingerprint eddsa rsa gpg pgp ssh dsa ecdsa ed25519 using good bad"
)
_QUALIFIERS = words_of(
    "value plain raw plaintext prod production staging stage dev development live local binary old new current "
    "base main default b64 base64 encoded confirm confirmation master test sandbox string str val again repeat data "
    "hex sha sha1 sha2 sha256 sha512 md5 primary secondary eu us text v prd stg uat qa ci cleartext literal override left right read write a b"
)
_NEGATIVE = words_of(
    "hashed existing has is no use show ask num max min needs require requires allow enable disable show hide "
    "validate check verify invalid wrong missing count total should can"
)
_PARTS = lazy(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\x00-\x7f]+[a-z]*")


def parts(name: str) -> list[str]:
    """``dbApiKey2`` is ``["db", "api", "key", "2"]``."""
    found = [part.lower() for part in _PARTS.findall(name[-96:])]
    if not name.isascii():  # Passwörter and пароль are one part each
        found = re.findall(r"[^\W_]+", name[-96:].lower())
    return found


@lru_cache(maxsize=8192)
def grade(name: str) -> Grade:
    """The grade of an identifier, option, key or header name."""
    words = parts(name)
    if words[-3:-1] == ["pin", "sha"] or name.startswith("hmac-sha"):  # of a certificate; an algorithm
        return Grade.NONE
    while len(words) > 1 and (words[-1].isdigit() or words[-1] in _QUALIFIERS):
        words.pop()
        if words[-1] == "b" and len(words) > 1:  # of B64
            words.pop()
    if not words:
        return Grade.NONE
    last, pair = words[-1], ".".join(words[-2:])
    if last in ("key", "keys") and len(words) > 1 and words[-2] in _ADJECTIVES and pair not in _STRONG_PAIRS:
        return Grade.NONE
    if (
        pair in _HARMLESS
        or words[0] in _NEGATIVE
        or _first_of_last(name) in _NEGATIVE
        or "existing" in words
        or "public" in words[-3:-1]
        or last in ("pubkey", "publickey")
    ):
        return Grade.NONE
    if pair in _STRONG_PAIRS or last in _STRONG_LAST or _is_strong(last) or _is_foreign(last):
        return Grade.STRONG
    if pair in ("csrf.token", "xsrf.token"):
        return Grade.WEAK
    if (
        _KEYSTORE.search(name)
        or pair in _TOKEN_PAIRS
        or last in _TOKEN_LAST
        or last.endswith(("token", "auth", "authtok", "cookie"))
    ):
        return Grade.TOKEN
    if len(words) == 3 and ".".join(words[:2]) in _STRONG_PAIRS and last not in _TAILS:  # api_key_weather
        return Grade.TOKEN
    if words[0] in _STRONG_FIRST or words[:3] == ["mot", "de", "passe"]:
        return Grade.STRONG
    if words[0] in _KEY_FIRST and words[1:2] in (
        ["api"],
        ["secrete"],
        ["secreta"],
        ["privee"],
        ["privada"],
        ["de"],
    ):
        return Grade.TOKEN
    return Grade.WEAK if last in _WEAK_LAST or last.endswith(("sessid", "key")) else Grade.NONE


_KEYSTORE = lazy(r"(?i)key_?store_?(?:base64|b64)$")  # a file with keys, as a secret of a workflow
# What of a key is none.
_TAILS = words_of(
    "id ids name names type path file url uri ttl policy hash ref arn env var variable format length size header prefix suffix "
    "count status state expires expiry expiration expired created updated enabled disabled required field param label title "
    "description hint placeholder source provider version rotation manager service store kind index number list map set "
    "error invalid missing valid validation check alias info metadata limit scope scopes usage user owner role"
)
# Languages in which what it is of comes behind: CONTRASENA_SMTP, CLE_API.
_STRONG_FIRST = words_of(
    "contrasena contraseña senha mdp passwort kennwort haslo hasło heslo parola wachtwoord losenord пароль"
)
_KEY_FIRST = words_of("cle clé clave chave chiave llave")


def _first_of_last(name: str) -> str:
    """What the last member of a dotted name begins with: ``app.errors.InvalidPassword``."""
    return next(iter(parts(name.rpartition(".")[2])), "") if "." in name else ""


def _is_strong(word: str) -> bool:
    """Whether a part ends with a secret's noun, glued to what stands before: ``rootpw``, ``remotepass``."""
    if word.startswith("lib"):  # a library's name
        return False
    if word.endswith(_STRONG_ENDS):
        return True
    return word.endswith(("pass", "pw")) and 4 < len(word) < 16 and not word.endswith(_OTHER_PASSES)


_OTHER_PASSES = (
    "askpass",
    "bypass",
    "compass",
    "trespass",
    "encompass",
    "surpass",
    "overpass",
    "underpass",
    "prepass",
    "postpass",
    "multipass",
    "onepass",
    "subpass",
    "renderpass",
    "surrogatepass",
    "allpass",
    "lowpass",
    "highpass",
    "bandpass",
    "lastpass",
    "keepass",
)


def _is_foreign(word: str) -> bool:
    return (word.startswith(FOREIGN) and len(word) < 16) or (
        _COMPOUND.search(word) is not None and not word.startswith(_OTHER_KEYS)
    )


# Languages that write the noun glued to what it is of: Lizenzschlüssel, krypteringsnyckeln.
_COMPOUND = lazy(
    r"(?:kennwort|passwort|kodewort|schlüssel|schluessel|wachtwoord(?:en)?|sleutels?|lösenord(?:et|en)?|nyckeln?|nøkkelen|nøkkel|nøglen?|passord(?:et)?|adgangskoden?|kodeord(?:et)?|"
    r"salasanan?|avaimen|avain|jelszav\w{0,3}|jelszó|kulcs)$"
)
_OTHER_KEYS = (
    *(
        "primär",
        "primar",
        "fremd",
        "främmande",
        "fremmed",
        "sort",
        "cache",
        "objekt",
        "registr",
        "gruppen",
        "index",
    ),
    *(
        "öffentlich",
        "publik",
        "offentlig",
        "publieke",
        "openbare",
        "vreemde",
        "primaire",
        "schrauben",
        "notenschlü",
    ),
)


def kind(name: str) -> str:
    """What the placeholder calls a value of that name."""
    words = "".join(parts(name))
    for noun, called in (("secret", "secret"), ("token", "token"), ("key", "key"), ("jwt", "token")):
        if noun in words:
            return called
    return "password"
