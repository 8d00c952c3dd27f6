"""Secrets that are known by where they stand: in a URL, a header, a command line, a statement.

One row per place; ``v`` is the secret. Commands appear here only where the option's name says nothing
(``mysql -p``): an option that names its secret (``--password``) is found by name, for any command.
"""

from __future__ import annotations

import re

from .names import Grade
from .rules import Rule
from .values import Style, is_basic, is_placeholder, is_secret

_Q = r"[\"'\x7f]{0,8}"  # quotes and what escapes them
_GAP = r"[ \t\x7f]{1,8}"
_WORD = r"[^\s\"'`\x7f<>]{1,256}"
_LINE = r"[^\n|]{0,300}?"
_SKIP = r"[^\n]{0,600}?"  # to an option further on in the command


def _named(value: str) -> bool:
    return is_secret(value, Grade.STRONG, Style.EXACT)


def _opaque(value: str) -> bool:
    return not is_placeholder(value) and (
        any(map(str.isdigit, value)) or is_secret(value, Grade.WEAK, Style.EXACT)
    )


def _bare_userinfo(value: str) -> bool:
    return is_secret(value, Grade.TOKEN, Style.EXACT)


def _row(
    id_: str, anchors: str, pattern: str, *good: str, kind: str = "password", bad: tuple[str, ...] = ()
) -> Rule:
    accept = {"token": _opaque, "basic": is_basic, "user": _bare_userinfo}.get(kind, _named)
    return Rule(
        id=id_,
        kind={"basic": "token", "user": "token"}.get(kind, kind),
        anchors=tuple(anchors.split("|")),
        fold=True,
        pattern=re.compile(pattern, re.IGNORECASE),
        accept=accept,
        good=good,
        bad=bad,
    )


CREDENTIALS: tuple[Rule, ...] = (
    _row(
        "url-password",
        "://",
        r"://[^\s:/?#@\"'`<>\x7f\\]{0,128}:(?P<v>[^\s/?#\"'`<>\x7f]{1,256})@(?=[\w\[$%{*(.-])",
        "postgres://app:{word:9}@db/x",
        "https://me:{base62:30}@host/x.git",
        "amqp://u:p@{word:8}@h",
        bad=(
            "https://user:password@host",
            "postgres://$USER:$PASS@db",
            "redis://:<password>@h",
            "http://h:80/@x",
        ),
    ),
    _row(
        "url-token",
        "://",
        r"://(?P<v>[A-Za-z0-9_.~-]{16,256})(?::(?:x-oauth-basic)?)?@(?=[\w\[])",
        "https://{base62:40}@github.com/x/y",
        "https://{hex:40}:x-oauth-basic@host/y",
        kind="user",
        bad=("ssh://git@github.com/x",),
    ),
    _row(
        "azure-key",
        "accountkey=|sharedaccesskey=",
        r"(?:AccountKey|SharedAccessKey)=(?P<v>[A-Za-z0-9+/]{20,120}={0,2})",
        "AccountName=a;AccountKey={base64:86}==;EndpointSuffix=core.windows.net",
        kind="token",
    ),
    _row(
        "azure-signature",
        "sig=",
        r"sig=(?P<v>[A-Za-z0-9%+/=_-]{20,160})",
        "?sv=2022&sp=r&sig={base62:43}%3D",
        "SharedAccessSignature sr=x&sig={base62:43}%3D&se=1",
        kind="token",
        bad=("sig=<signature-of-the-request>",),
    ),
    _row(
        "bearer",
        "bearer",
        r"bearer(?:[ \t\x7f]{1,4}|%20|\+)" + _Q + r"(?P<v>[A-Za-z0-9._~+/=-]{8,8192})",
        "-H 'Bearer {base62:20}'",
        "Bearer {hex:32}",
        kind="token",
        bad=("Bearer authentication", "Bearer $TOKEN", "bearer tokens."),
    ),
    _row(
        "basic",
        "basic",
        r"basic" + _GAP + r"(?P<v>[A-Za-z0-9+/]{8,512}={0,2})",
        "Basic YWRtaW46{base64pw:9}",
        kind="basic",
        bad=("basic authentication", "Basic understanding"),
    ),
    _row(
        "authorization",
        "authorization",
        r"authorization[\"'\x7f\]]{0,8}[ \t\x7f]{0,4}(?:[:=,]|=>)[ \t\x7f]{0,4}"
        + _Q
        + r"(?:(?:bearer|basic|token|bot|apikey|api-key|key|digest|negotiate|splunk|ghost|jwt"
        r"|genie-?key|discogs)[ \x7f]{1,4})?"
        r"(?P<v>[A-Za-z0-9._~+/=:-]{8,8192}+)(?![(\[])",
        "Authorization: token {hex:40}",
        "Proxy-Authorization: Basic {base62:24}",
        '"authorization": "{base62:32}"',
        kind="token",
        bad=("Authorization: Bearer", "authorization: required", "authorization=req.headers.get(x)"),
    ),
    _row(
        "curl-user",
        "curl|wget",
        r"(?:curl|wget)\b"
        + _SKIP
        + r"[ \t\x7f](?:-u|--user|-U|--proxy-user)[ =\x7f]{0,4}"
        + _Q
        + r"[^\s:\"'\x7f]{1,128}:(?P<v>"
        + _WORD
        + ")",
        "curl -s -u admin:{word:9} https://h",
        'curl --user "a:{word:12}" h',
        bad=("curl -u $USER:$PASS h", "docker run -u 1000:1000 img"),
    ),
    _row(
        "mysql",
        "mysql|mariadb|mycli",
        r"(?:mysql|mariadb|mycli)[\w-]{0,12}[ \t\x7f]"
        + _LINE
        + r"(?<=[ \t\x7f])-p"
        + _Q
        + "(?P<v>"
        + _WORD
        + ")",
        "mysql -u root -p{word:9} db",
        "mysqldump -h h -p'{word:9}' db",
        bad=("mysql -u root -p db",),
    ),
    _row(
        "sshpass",
        "sshpass",
        r"sshpass" + _GAP + r"(?:-v[ ])?-p[ \x7f]{0,4}" + _Q + "(?P<v>" + _WORD + ")",
        "sshpass -p {word:9} ssh h",
        "sshpass -p'{word:9}' scp a b",
        bad=("sshpass -e ssh h",),
    ),
    _row(
        "redis-cli",
        "redis-cli|valkey-cli",
        r"(?:redis|valkey)-cli\b" + _LINE + r"[ ](?:-a|--pass)[ =\x7f]{1,4}" + _Q + "(?P<v>" + _WORD + ")",
        "redis-cli -h h -a {word:9} ping",
        bad=("redis-cli -a $REDIS_PASS",),
    ),
    _row(
        "login",
        "docker|podman|helm|oras|nerdctl|buildah|skopeo|crane",
        r"(?:docker|podman|helm|oras|nerdctl|buildah|skopeo|crane)\b[^\n|]{0,80}?[ ]login\b"
        + _LINE
        + r"[ ]-p[ =\x7f]{0,4}"
        + _Q
        + "(?P<v>"
        + _WORD
        + ")",
        "docker login -u me -p {word:9} host",
        bad=("docker login -p $TOKEN",),
    ),
    _row(
        "short-option",
        "ldapsearch|ldapadd|ldapmodify|sqlcmd|bcp|mongo|mongosh|mongodump|unzip|zip|winexe|xfreerdp|ipmitool|cqlsh|clickhouse-client|influx",
        r"(?:ldap\w{3,8}[ ]"
        + _LINE
        + r"[ ]-w|sqlcmd[ ]"
        + _LINE
        + r"[ ]-P|bcp[ ]"
        + _LINE
        + r"[ ]-P|mongo\w{0,5}[ ]"
        + _LINE
        + r"[ ]-p|(?:un)?zip[ ]"
        + _LINE
        + r"[ ]-P|ipmitool[ ]"
        + _LINE
        + r"[ ]-P|cqlsh[ ]"
        + _LINE
        + r"[ ]-p|xfreerdp[ ]"
        + _LINE
        + r"[ ]/p:)[ =\x7f]{0,4}"
        + _Q
        + "(?P<v>"
        + _WORD
        + ")",
        "ldapsearch -D cn=x -w {word:9} -b dc=x",
        "sqlcmd -S h -U sa -P {word:10}",
        bad=("mongosh -p",),
    ),
    _row(
        "short-option",
        "mosquitto_|7z|rar",
        r"(?:mosquitto_\w{3}[ ]"
        + _LINE
        + r"[ ]-P[ ]|(?:7z\w?|rar)[ ]"
        + _LINE
        + r"[ ]-p)"
        + _Q
        + "(?P<v>"
        + _WORD
        + ")",
        "mosquitto_pub -h h -u me -P {word:9} -t x",
        "7z x -p{word:9} a.7z",
        bad=("7z x a.7z",),
    ),
    _row(
        "user-password",
        "smbclient|rpcclient|lftp",
        r"(?:smbclient|rpcclient|lftp)\b"
        + _LINE
        + r"[ ]-[uU][ ]?"
        + _Q
        + r"[^\s%,]{1,64}[%,](?P<v>"
        + _WORD
        + ")",
        "smbclient //h/s -U me%{word:9}",
        "lftp -u me,{word:9} ftp://h",
    ),
    _row(
        "rabbitmqctl",
        "rabbitmqctl",
        r"rabbitmqctl[ ](?:add_user|change_password)[ ]\S{1,64}[ ]" + _Q + "(?P<v>" + _WORD + ")",
        "rabbitmqctl add_user me {word:9}",
    ),
    _row(
        "user-tuple",
        "auth",
        r"auth\w{0,8}[ ]?=[ ]?\([ ]?[\x7f]{0,8}[\"'][^\"'\n]{1,64}[\"'],[ ]?[\x7f]{0,8}"
        r"[\"'](?P<v>[^\"'\n]{1,256})[\"']",
        "get(u, auth=('me', '{word:9}'))",
        bad=("auth=('me', 'password')",),
    ),
    _row(
        "value-first",
        "value",
        r"value[\"'\x7f]{1,8}[ ]?:[ ]?[\x7f]{0,8}\"(?P<v>[^\"\n]{1,512})\"[\s,\x7f]{0,16}\"(?:name|key)"
        r"[\"'\x7f]{1,8}[ ]?:[ ]?[\x7f]{0,8}\""
        r"[\w.-]{0,60}?(?:password|passwd|secret|token|api_?key|access_?key|private_?key)[\x7f]{0,8}\"",
        '{"value": "{word:9}", "name": "DB_PASSWORD"}',
    ),
    _row(
        "htpasswd",
        "htpasswd",
        r"htpasswd[ ]-\w{0,4}b\w{0,4}[ ](?:-\w+[ ]){0,3}\S{1,128}[ ](?:\S{1,64}[ ])?"
        + _Q
        + "(?P<v>"
        + _WORD
        + ")",
        "htpasswd -bc .htpasswd admin {word:9}",
    ),
    _row(
        "chpasswd",
        "chpasswd",
        r"chpasswd\s{0,4}<<<\s{0,4}" + _Q + r"[\w.-]{1,64}:(?P<v>" + _WORD + ")",
        "chpasswd <<< root:{word:9}",
    ),
    _row(
        "echo-password",
        "echo|printf",
        r"(?:echo|printf)[ ](?:-[ne]{1,2}[ ])?"
        + _Q
        + r"(?:[\w.-]{1,64}:)?(?P<v>"
        + _WORD
        + ")"
        + _Q
        + r"[ ]{0,4}\|[ ]{0,4}(?:sudo[ ]-\w{0,4}S|(?:sudo[ ])?chpasswd|passwd[ ]--stdin"
        r"|(?:docker|podman|helm|gh)\b[^\n|]{0,80}--(?:password|with)-(?:stdin|token))",
        "echo {word:9} | sudo -S ls",
        "echo 'root:{word:9}' | chpasswd",
        bad=("echo $PW | sudo -S ls",),
    ),
    _row(
        "openssl-pass",
        "pass:",
        r"pass:(?P<v>[^\s\"'`\x7f]{4,256})",
        "openssl rsa -passin pass:{word:9} -in k",
        bad=("pass:", "--- PASS: TestX"),
    ),
    _row(
        "sql-password",
        "identified|password",
        r"(?:identified(?:[ ]with[ ]\S{1,40})?[ ](?:by|as)|password)"
        r"[ ](?:password[ ])?[\x7f]{0,8}'(?P<v>[^'\n\x7f]{1,256})",
        "CREATE USER x IDENTIFIED BY '{word:9}';",
        bad=("IDENTIFIED BY 'password'",),
    ),
    _row(
        "netrc",
        "machine",
        r"machine\s{1,8}\S{1,128}\s{1,8}login\s{1,8}\S{1,128}\s{1,8}password\s{1,8}(?P<v>" + _WORD + ")",
        "machine h.example\n  login me\n  password {word:9}",
    ),
    _row(
        "pgpass",
        ":5432:",
        r":5432:[\w*-]{1,64}:[\w.*-]{1,64}:(?P<v>[^\s:\"'`\x7f]{3,256})",
        "localhost:5432:db:me:{word:9}",
    ),
    _row(
        "otpauth",
        "otpauth://",
        r"otpauth://[^\s\"']{1,300}?secret=(?P<v>[A-Z2-7]{10,128})",
        "otpauth://totp/x?secret={base32:16}&issuer=y",
        kind="secret",
    ),
    _row(
        "prose",
        "password|passphrase|passcode",
        r"(?:password|passphrase|passcode)(?:[ ](?:for|of)[ ][^\n:=]{1,60})?"
        r"(?:[ ](?:is|was)[ ](?:now[ ])?:?|[ ](?:for|of)[ ][^\n:=]{1,60}:[ ])"
        + _Q
        + r"`{0,3}(?P<v>(?=[^\s]{0,24}[0-9!@#$%^])[^\s\"'`\x7f<>(),;]{5,128}[^\s\"'`\x7f<>(),;.:?!])",
        "the password is {word:9}.",
        "password for bob: {word:9}",
        bad=("the password is required", "password is hashed with SHA"),
    ),
)
