"""Passwords in command lines, where the option's name says nothing: ``mysql -pX``, ``curl -u me:X``.

An option that names its secret (``--password``) is found by name, for any command. Here stand the commands
whose short options, positions or standard input carry one; and for any command, a short option's value that
can hardly be anything else.
"""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from functools import cache

from .anchors import Anchors
from .lazy import lazy
from .names import Grade, grade, words_of
from .rules import Gate, Page, Reader, Span
from .values import Style, is_evident, is_label, is_placeholder, is_secret

# Options whose argument is a password: "-p" separate, "-p*" glued, "-p?" either; ":" after a user's name;
# a number: the argument of that position after the (sub)command's words.
_TABLE = """
mysql mysqldump mysqladmin mysqlimport mysqlshow mysqlcheck mysqlsh mysqlslap mariadb mariadb-dump mycli mydumper: -p*
sshpass: -p?
7z 7za 7zr 7zz rar unrar: -p* -hp*
zip unzip zipcloak: -P? --password?
redis-cli valkey-cli keydb-cli: -a --pass
docker podman nerdctl buildah skopeo crane oras helm registry az twine jf jfrog regctl: -p?
mongo mongosh mongodump mongorestore mongoexport mongoimport cqlsh cypher-shell neo4j-admin beeline influx arangosh couchbase-cli cbq nodetool impala-shell trino: -p?
influx: -t --token
ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldappasswd ldapcompare ldapmodrdn dsconf dsctl: -w? -s?
sqlcmd bcp isql tsql osql fisql isql-fb gbak: -P? -pas -password
ipmitool ipmiutil ipmi-chassis freeipmi: -P? -p
mosquitto_pub mosquitto_sub mosquitto_rr mqttx: -P?
snmpget snmpwalk snmpset snmpbulkwalk snmptrap snmpgetnext snmptable snmpinform: -c -A -X
plink pscp psftp putty: -pw
xfreerdp wfreerdp xfreerdp3: /p:* -p
rdesktop: -p?
psexec paexec wmic winexe: -p /password:*
smbclient rpcclient smbget cifscreds: -U%
lftp: -u,
hydra medusa ncrack crackmapexec netexec nxc evil-winrm kerbrute: -p
curl httpie wget http https xh aria2c fetch: -E: --cert: -u: --user: -U: --proxy-user: -a: --auth:
ansible ansible-playbook: -e=
openssl: -k -pass -passin -passout -passwd
ssh-keygen: -N -P
gpg gpg2: --passphrase
security: -w -p
keytool jarsigner: -storepass -keypass
signtool: /p
cmdkey: /pass:* /p:*
schtasks: /rp /p
qpdf: --password
pdftk: user_pw owner_pw input_pw
steghide: -p
restic: -p
x11vnc vncviewer: -passwd
pg_basebackup: -w
rclone: --password-command
htdigest: -b
dsadd dsmod: -pwd
expect: -p
tailscale: --auth-key --authkey
cloudflared: --token
ngrok: --authtoken
vncdo: -p
nmcli: password
iwconfig: key
wpa_cli: psk
networksetup: -setairportnetwork
sc: password=
svn: --password
hg: --password
cadaver: -p
mount.cifs: -o=
dcli: -p
p4: -P
fossil: -p
bconsole: -p
kinit: --password
ktutil: -w
chpass: -a
rabbitmqadmin: -p
dig nsupdate: -y:
vpnc openconnect: -p
pppd: password
asterisk: -p
"""
# command, words before it, and which argument after them is the password (from 0; -1: the last)
_POSITIONS = """
htpasswd -b: 2
htpasswd -bc: 2
htpasswd -cb: 2
htpasswd -nb: 1
htpasswd -nbB: 1
htpasswd -Bb: 2
htpasswd -bB: 2
htpasswd -bnBC: 2
rabbitmqctl add_user: 1
rabbitmqctl change_password: 1
rabbitmqctl authenticate_user: 1
wpa_passphrase: 1
radtest: 1
radtest: 4
drush user:password: 1
drush upwd: 1
composer config http-basic.*: 1
networksetup -setairportnetwork: 2
net user: 1
cargo login: 0
vault login: 0
rclone obscure: 0
bw unlock: 0
bw login: 1
npm token: 9
ngrok authtoken: 0
ngrok config add-authtoken: 0
poetry config http-basic.*: 1
poetry config pypi-token.*: 0
pipenv login: 1
svnadmin password: 1
wpa_cli set_network psk: 0
samba-tool user create: 1
samba-tool user setpassword: 0
smbpasswd -a: 1
ejabberdctl register: 2
ejabberdctl change_password: 2
prosodyctl register: 2
doveadm pw -p: 0
doveadm auth test: 1
doveadm auth login: 1
saslpasswd2 -p: 0
mc alias set: 3
mc config host add: 3
minio-client alias set: 3
airport -z: 0
defaults write password: 0
heroku authorizations:create: 9
ipa user-mod --password: 0
kadmin addprinc -pw: 0
kadmin cpw -pw: 0
git-secret tell: 9
sops set: 9
dokku config:set: 9
ssh-add -p: 0
requirepass: 0
ftp user: 1
xdotool type: 0
docker-credential-helper store: 9
"""
_DELIMITERS = lazy(r"\|\|?|&&|;(?=\s|$)|\n|$(?![\r\n])")
_ARGUMENT = lazy(
    r"[ \t]*(?:\\?\r?\n[ \t]*)?(?P<a>(?:\"[^\"\n]{0,400}\"|'[^'\n]{0,400}'|\\.|[^\s\"'|;&]|&(?!&)|;(?=\S)){1,500}+)"
)
_LISTED = lazy(r"[\"']?,[ ]?[\"'](?P<a>[^\"'\n]{1,300})(?=[\"'])")
_LIST = lazy(r"[\"'],[ ]?(?=[\"'])")
_LOOK = lazy(r"-(?P<o>[pPwWakxXAuU])(?:[ ]|(?=[\"']?[^\s\"'-]{5}))[\"']?(?P<v>[^\s\"'`|;,)\]}]{6,80})")
# Letters that other commands use for a file, a port, a package, a version.
_USERINFO = lazy(
    r"-(?:u|U|-user|-userpass|-login|-creds?|-credentials?|-basic|-auth|a|-http-user|-proxy-user|-user-pass|l)[ =][\"']?(?P<u>[\w.@][\w.@+\\-]{0,80})(?::|(?<=[\w])%(?![A-Z-]))(?P<v>[^\s(\"'`|<>]{3,128})"
)
_FEEDS = lazy(
    r"(?:echo|printf|print|cat|write-output|yes)[ ]+(?:-[neE]{1,2}[ ]+)?(?:[\"']?%s(?:\\n|\n)?[\"'] )?(?P<q>[\"']?)(?:[\w.@-]{1,64}:)?(?P<v>[^\"'|<>\n]{3,200}?)(?:\\n|\n|\\r)?(?P=q)[ ]*\|[ ]*"
    r"(?:[\w./=\"'$-]{1,60}[ ]){0,4}?(?:sudo(?:[ ]-\w+)*[ ]-\w{0,4}S|chpasswd|passwd|smbpasswd|cryptsetup|(?:[\w-]{1,30}[ ]){1,6}?(?:--?[\w-]{0,30}(?:stdin|with-token|batch|passphrase-fd|fd)\b|login|secret|set|put|create|-)|faillock|htpasswd|openssl|base64|gpg|kinit|gnome-keyring-daemon|ssh-add|su\b|docker|podman|helm|gh|vault|pass|op|wrangler|vercel|flyctl|fly|heroku|ecryptfs-\S+|mysql|psql|doas|ansible-vault|bw|secret-tool|vncpasswd|tr)",
)
_HERE = lazy(
    r"(?:sudo[ ](?:-\w+[ ])*-\w{0,4}S[^\n<]{0,80}|chpasswd[^\n<]{0,40}|passwd[^\n<]{0,60}|[\w-]{2,30}[ ][^\n<]{0,120}?(?:--[\w-]{0,30}(?:stdin|with-token)|login|secret)[^\n<]{0,60})<<<[ ]*[\"']?(?:[\w.-]{1,64}:)?(?P<v>[^\s\"']{3,200})"
)
_HEREDOC = lazy(
    r"(?:chpasswd|passwd|--password-stdin|--with-token|sudo[ ]-S)[^\n<]{0,60}<<-?[ ]?[\"']?(?P<t>[A-Z]{2,12})[\"']?[^\n]{0,60}\n(?:[\w.-]{1,64}:)?(?P<v>[^\s\"']{3,200})\n"
)
_SECRETS = lazy(
    r"(?:--from-literal[= ][\"']?[\w.-]{1,80}=|secrets?[ ](?:set|put|add|create)[ ](?:-[\w-]{1,30}[ =][\w./-]{1,60}[ ]){0,4}[\w./-]{1,80}[= ](?!--?(?:repo|R|env|env-file|f|org|o|app|visibility|repos|user|no-\w+)\b)(?:-[\w-]{1,30}[ =])?|--secret-string[ =]|--secret-value[ =]|"
    r"kv[ ](?:put|patch)[ ](?:-[\w=]{1,40}[ ]){0,3}[\w./-]{1,120}[ ][\w.-]{1,60}=|secret[ ]set[ ][^\n]{0,100}?--(?:value|body)[ =]|config:set[ ][A-Z_]{0,30}(?:KEY|TOKEN|SECRET|PASS\w*)=|gh[ ]secret[ ]set[^\n]{0,80}?(?:--body|-b)[ =]|"
    r"put-parameter[^\n]{0,160}?SecureString[^\n]{0,160}?--value[ =]|put-parameter[^\n]{0,160}?--value[ =](?=[^\n]{1,160}?SecureString)|configure[ ]set[ ][\w.]{0,60}(?:secret|token|password|key)[ ]|config[ ]set[ ](?:--[\w-]{1,20}[ ])?[\w./:@-]{0,80}(?:secret|token|auth|password|passwd|key)[ ])"
    r"[\"']?(?P<v>[^\s\"'`]{3,300})",
    re.IGNORECASE,
)
_SQLPLUS = lazy(
    r"(?:sqlplus|expdp|impdp|rman|sqlldr|exp|imp|sqlcl)\b[^\n|]{0,80}?[ ](?:target[ ])?[\"']?[\w$.-]{1,40}/[\"']?(?P<v>[^\s\"'@/]{3,128})[\"']?(?=@|\s|$|[\"'])"
)
_USING = lazy(r"db2[ ]connect[^\n]{0,100}?[ ]using[ ][\"']?(?P<v>[^\s\"']{3,128})", re.IGNORECASE)
_SEND = lazy(
    r"(?:send|sendline|send_user|expect_out|xdotool type|SendKeys)(?:[ ]--)?[ (]{1,2}[\"'](?P<v>[^\"'\n]{4,128}?)(?:\\[rn]|[\r\n])[\"']"
)
_HASHED = lazy(
    r"openssl passwd(?: -(?:salt \S{1,40}|[a-z\d]{1,9})){0,4} [\"']?(?P<v>[^\s\"'$-][^\s\"'()`]{3,80})"
)
# A backslash before a user's name may be read as an escape, so two words may stand before the password.
_MOUNTED = lazy(
    r"net use [^\n/]{1,160} /user:\S{1,60}?(?:\s\S{1,40})?? [\"']?(?P<v>[^\s/\"']{4,80})(?=[\"']?\s{0,4}(?:/\w|\n|$))",
    re.IGNORECASE,
)
_SHARED = lazy(
    r"net use (?:[a-z*]:? )?\\{1,8}\S{2,100} [\"']?(?P<v>[^\s/\"']{4,80})[\"']? /user:", re.IGNORECASE
)
_STORED = lazy(r"http-basic\.[\w.-]{3,80} [\"']?(?P<v>[0-9a-f]{32})[\"']? ")
_OBJECTS = lazy(r"mc alias set [\w./-]{1,40} https?://\S{3,100} (?P<v>[A-Z0-9]{20}) ")
_PATTERNS = (
    (("openssl passwd",), _HASHED, Style.EXACT),
    (("net use",), _MOUNTED, Style.EXACT),
    (("net use",), _SHARED, Style.EXACT),
    (("http-basic",), _STORED, Style.EXACT),
    (("mc alias",), _OBJECTS, Style.EXACT),
    (
        (
            "| sudo",
            "|sudo",
            "| chpasswd",
            "| passwd",
            "stdin",
            "with-token",
            "| smbpasswd",
            "| cryptsetup",
            "| docker",
            "| gh ",
            "| openssl",
            "| base64",
            "| gpg",
            "| kinit",
            "| vault",
            "| pass ",
            "| su ",
            "| op ",
            "secret",
            "| htpasswd",
            "login",
        ),
        _FEEDS,
        Style.EXACT,
    ),
    (("<<<",), _HERE, Style.EXACT),
    (("chpasswd <<", "stdin <<", "token <<", "sudo -s", "passwd <<"), _HEREDOC, Style.EXACT),
    (
        (
            "--from-literal",
            "secret set",
            "secrets set",
            "secret put",
            "secrets put",
            "secret-string",
            "secret-value",
            "kv put",
            "kv patch",
            "securestring",
            "configure set",
            "config set",
            "config:set",
            "secret create",
            "secrets create",
            "secrets add",
            "secret add",
        ),
        _SECRETS,
        Style.EXACT,
    ),
    (("sqlplus", "exp ", "imp ", "expdp", "impdp", "rman", "sqlldr", "sqlcl"), _SQLPLUS, Style.EXACT),
    (("db2 connect",), _USING, Style.EXACT),
    (("send", "sendline", "sendkeys", "send_user", "xdotool"), _SEND, Style.EXACT),
)
GATE = Gate(signs for signs, _, _ in _PATTERNS)
_NOT_A_PASSWORD_FEED = words_of("hello world yes y n no test ok done data foo bar")


def commands(page: Page) -> Iterator[Span]:
    """The passwords in the page's command lines."""
    for row, signs in GATE.open(page).items():
        _, pattern, style = _PATTERNS[row]
        for start, stop in page.near(signs):
            for match in pattern.finditer(page.text, start, stop):
                page.tick()
                value = match["v"].strip()
                if " " in (decoded := _decoded(value)) or is_label(decoded):
                    continue
                if value not in _NOT_A_PASSWORD_FEED and is_secret(value, Grade.STRONG, style):
                    begin = match.start("v") + match["v"].index(value)
                    yield Span(begin, begin + len(value), "command", "password")
    for name in sorted(options().keys() & page.words) if " " in page.text or '",' in page.text else ():
        yield from _of_command(page, name)
    if " -" not in page.text:
        return
    for match in _USERINFO.finditer(page.text):
        page.tick()
        if page.text[match.start() - 1 : match.start()].strip() == "" and (
            is_evident(match["v"])
            or (not match["u"].isdigit() and is_secret(match["v"], Grade.STRONG, Style.LOOSE))
        ):
            yield Span(*match.span("v"), "command", "password")
    for match in _LOOK.finditer(page.text):
        if page.text[match.start() - 1 : match.start()].strip("\"'") in ("", " ", "\n") and _is_hardly_else(
            match["v"]
        ):
            page.tick()
            yield Span(*match.span("v"), "command", "password")


def _decoded(value: str) -> str:
    """What the base64 says that is to be decoded, if it is text."""
    try:
        return base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("ascii")
    except ValueError:
        return ""


def _is_hardly_else(value: str) -> bool:
    """Whether the value of an option of no known command is a password."""
    signs = re.search(r"[!@#$%^&*?~]", value[1:])
    return (
        is_evident(value)
        and not is_placeholder(value)
        and not (len(value) > 50 and value.startswith("RW"))  # a public key of minisign
        and not re.search(r"[/:=.]", value)
        and bool(
            re.search(r"[A-Za-z]", value)
            and re.search(r"\d", value)
            and (signs or (re.search(r"[a-z]", value) and re.search(r"[A-Z]", value)))
        )
        and not re.search(r"^\$|@\d", value)
    )


def _of_command(page: Page, name: str) -> Iterator[Span]:
    at = page.lower.find(name)
    read: dict[tuple[str, ...], int] = {}  # up to where the same options were looked for behind a call before
    while at >= 0:
        page.tick()
        end = at + len(name)
        for command, rows in options()[name]:
            if (
                page.lower.startswith(command, at)
                and not page.lower[at + len(command) : at + len(command) + 1].isalnum()
                and (at == 0 or not (page.text[at - 1].isalnum() or page.text[at - 1] in "-_.@"))
            ):
                end = max(end, at + len(command))
                words = _words(page.text, at + len(command))
                yield from _arguments(page.text, end, words, rows, read.get(rows, -1))
                read[rows] = words[-2][1] if len(words) > 1 else -1
        at = page.lower.find(name, end)


def _words(text: str, start: int) -> list[tuple[str, int]]:
    """What a command is given, up to some 1,500 characters, over the ends of lines, and where each stands."""
    if text.startswith(".exe", start):
        start += 4
    listed = _LIST.match(text, start)
    if text[start : start + 1] not in (" ", "\t") and not listed:
        return []
    at = start
    words: list[tuple[str, int]] = []
    pattern = _LISTED if listed else _ARGUMENT
    while (match := pattern.match(text, at)) and len(words) < 48 and match.end() - start < 1500:
        words.append((match["a"], match.start("a")))
        at = match.end()
    return words


def _arguments(
    text: str, start: int, words: list[tuple[str, int]], rows: tuple[str, ...], read: int
) -> Iterator[Span]:
    for n, (_, begin) in enumerate(words):
        for row in rows if begin > read else ():
            yield from _by_option(row, words, n)
    places = [row for row in rows if row[0] == "#"]
    if not places or not words:
        return
    end = words[-1][1]
    line = text.find("\n", start, end)
    while line > 0 and text[line - 1] == "\\":
        line = text.find("\n", line + 1, end)
    here = [word for word in words if line < 0 or word[1] < line]
    yield from (found for row in places for found in _by_position(row[1:], here))


def _by_option(row: str, words: list[tuple[str, int]], n: int) -> Iterator[Span]:
    option, how = row.rstrip("*?:%,="), row[len(row.rstrip("*?:%,=")) :][-1:]
    word, begin = words[n]
    if row[0] == "#" or not word.startswith(option):
        return
    glued = word[len(option) :]
    if glued.startswith(":") and option.startswith("/"):
        glued, begin = glued[1:], begin + 1
    if glued.startswith("=") and len(option) > 2:
        glued, begin = glued[1:], begin + 1
    if glued:
        if how in ("*", "?") or word[len(option)] == "=" or (how in (":", "%", ",") and len(option) == 2):
            yield from _taken(glued, begin + len(option), how)
    elif how != "*" and n + 1 < len(words):
        yield from _taken(*words[n + 1], how)


# Of -path, -print0: another command's, in a line below.
_LONG_OPTION = lazy(r"ath|rint0?|rune|erm|roject|rofile|ort|lugins?|ackage|latform")


def _taken(word: str, begin: int, how: str) -> Iterator[Span]:
    if word[:1] in "\"'" and len(word) > 2:
        word, begin = word[1:].rstrip(word[0]), begin + 1
    if how in (":", "%", ",", "="):
        user, sign, rest = word.partition(how)
        if not sign:
            return
        word, begin = rest, begin + len(user) + 1
        if how == "=" and not grade(user):
            return
    if word.startswith("-") or not word:
        return
    if how == "?" and re.fullmatch(
        r"[0-9]{1,5}|[0-9.:/]*[.:/][0-9.:/]*(?:/tcp|/udp)?|[0-9]{1,5}(?::[0-9]{1,5})+", word
    ):
        return
    if word == "codesigning" or (how == "?" and _LONG_OPTION.fullmatch(word)):  # a policy of macOS
        return
    word = word.rstrip(",)")
    if is_secret(word, Grade.STRONG, Style.EXACT):
        yield Span(begin, begin + len(word), "command", "password")


_NO_POSITION = lazy(r"-.|/[A-Za-z]+(?::|$)")


def _by_position(row: str, words: list[tuple[str, int]]) -> Iterator[Span]:
    heads, _, position = row.rpartition(":")
    at = 0
    for head in heads.split():
        while at < len(words) and not (
            words[at][0] == head or (head.endswith("*") and words[at][0].startswith(head[:-1]))
        ):
            at += 1
        at += 1
    plain = [word for word in words[at:] if not _NO_POSITION.match(word[0])]
    if at <= len(words) and int(position) < len(plain):
        yield from _taken(*plain[int(position)], "")


# An option of _USERINFO or _LOOK, and those that stand beside one that names a user.
OPTION = lazy(
    r"-(?<![^\s\"']-)(?:[axp]?[pwakxu][ ]?[\"']?[^\s\"'`|;,)\]}]{5}|rp[ :=]|pass(?:wd)?[ :=]|-?(?:u|user|userpass|login|creds?|credentials?|basic|auth|a|http-user|proxy-user|user-pass|l)[ =])"
)


def _anchors() -> Anchors:
    commands = [command for rows in options().values() for command, _ in rows]
    signs = [f"{command}{end}" for command in commands for end in (" ", "\t", "',", '",', ".exe")]
    return Anchors(signs=(*signs, *GATE.signs), parts=GATE.wordless, patterns=(OPTION,))


@cache
def options() -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """By the first word of a command: the command and its options."""
    found: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for line in _TABLE.strip().splitlines():
        names, _, options = line.partition(": ")
        for name in names.split():
            found.setdefault(re.split(r"[^a-z0-9_]", name)[0], []).append((name, tuple(options.split())))
    for line in _POSITIONS.strip().splitlines():
        command, _, position = line.rpartition(": ")
        name, _, heads = command.partition(" ")
        found.setdefault(re.split(r"[^a-z0-9_]", name)[0], []).append((name, (f"#{heads}:{position}",)))
    return found


COMMANDS = Reader(
    id="command",
    kind="password",
    find=commands,
    anchors=_anchors,
    good=(
        "mysql -u root -p{word:9} db",
        "mysqldump -h h -p'{word:9}' db",
        "sshpass -p {word:9} ssh h",
        "curl -s -u admin:{word:9} https://h",
        'curl --user "a:{word:12}" h',
        "redis-cli -h h -a {word:9} ping",
        "docker login -u me -p {word:9} host",
        "ldapsearch -D cn=x -w {word:9} -b dc=x",
        "sqlcmd -S h -U sa -P {word:10}",
        "mosquitto_pub -h h -u me -P {word:9} -t x",
        "7z x -p{word:9} a.7z",
        "smbclient //h/s -U me%{word:9}",
        "lftp -u me,{word:9} ftp://h",
        "rabbitmqctl add_user me {word:9}",
        "htpasswd -bc .htpasswd admin {word:9}",
        "echo {word:9} | sudo -S ls",
        "echo 'root:{word:9}' | chpasswd",
        "chpasswd <<< root:{word:9}",
        "kubectl create secret generic x --from-literal=a={word:9}",
        "sqlplus scott/{word:9}@db",
        'useradd -p "$(openssl passwd -6 -salt ab {word:9})" bob',
        "net use Z: \\\\host\\data /user:LAB\\bob {word:9} /persistent:yes",
        "net use Z: \\\\host\\data {word:9} /user:ops",
        "composer config --global http-basic.repo.example.org {hex:32} {hex:32}",
        "mc alias set s3 https://s3.example.org {base36up:20} {base62:40}",
        'influx write -b b -o o -t "{base64:86}==" "cpu v=1"',
    ),
    bad=(
        "curl -u $USER:$PASS h",
        "docker run -u 1000:1000 img",
        "docker run -p 8080:80 img",
        "mysql -u root -p db",
        "sshpass -e ssh h",
        "redis-cli -a $REDIS_PASS",
        "7z x a.7z",
        "echo $PW | sudo -S ls",
        "mkdir -p src/Module1/Inner2",
        "echo hello | tee x",
        "echo aGVsbG8gd29ybGQ= | base64 -d",
        "openssl enc -pass arg        Passphrase source",
        "grep -A5 foo",
        "gh secret set NPM_TOKEN --repo acme/site < token.txt",
        "openssl rsa -in site.key -passin stdin -noout",
        "openssl rsa -in site.key -passin fd:3 -noout",
        "docker compose ps\nfind . -name '*.key' -not -path './vendor/*'",
    ),
)
