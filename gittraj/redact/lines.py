"""Lines of particular files, sessions and devices, whose form says which word is the secret.

Each row: what must stand in the text for it to be tried, and the line, ``v`` being the secret.
"""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from .anchors import Anchors
from .line_forms import FORMS
from .made import is_chosen, is_joined, is_phrase, is_shuffled, is_spelled, is_worded
from .names import Grade
from .randomness import looks_random
from .rules import Gate, Page, Reader, Span
from .system_lines import SYSTEM_LINES
from .values import Style, is_evident, is_label, is_password, is_secret
from .vendor_lines import VENDOR_LINES

_START = r"(?:^|\n)[ \t]{0,12}(?:\d{4}-\d\d-\d\dT[\d:.]{8,20}Z[ ])?(?:\d{1,6}[\t→:][ \t]?|[+-])?[ \t]{0,12}"
_V = r"(?P<v>[^\s\"'`<>]{4,200})"
_QV = r"[\"']?(?P<v>(?<=\")[^\"\n]{4,200}|(?<=')[^'\n]{4,200}|[^\s\"'`;]{4,200})[\"']?"
_ROWS: tuple[tuple[str, str, str, str], ...] = (
    (
        "jwk",
        "kty",
        r"\"(?:k|d|p|q|dp|dq|qi)\"\s{0,2}:\s{0,2}\"(?P<v>[\w-]{20,1400})\"",
        '{"kty":"oct","k":"{url64:43}"}',
    ),
    (
        "login-line",
        "^sasl_passwd|:587|:465|:25]|rsyncd|chpasswd|pgpass|userlist|password_maps|htpasswd|passwd-file|:*:",
        r"(?:"
        + _START
        + r"|(?<=[ ])(?=\[[\w.-]{3,80}\]:\d))(?:\S{1,120}[ \t]{1,8}|\w{2,40} ?= ?)?(?:static:)?(?!sha\d{1,3}:|md5:)(?:[\w.@*\[\]-]{1,80}:){1,5}(?P<v>[^\s:/]{4,200})[ \t]*(?=\r?\n|$|#)",
        "[smtp.example.org]:587 me@example.org:{word:9}",
    ),
    (
        "login-line",
        "login=",
        r"\blogin=[\w.@-]{1,60}:(?P<v>[^\s\"']{4,200})",
        "cache_peer p parent 3128 0 login=me:{word:9}",
    ),
    (
        "ipsec-secret",
        'psk "|eap "|xauth "|chap|pptpd|l2tpd|createuser| * "',
        r"(?:PSK|EAP|XAUTH|NTLM|SHA\d{0,3}|AES\d{0,3}|MD5|DES|pptpd|l2tpd|[*])[ \t]{1,8}(?:\*[ \t]{1,8})?"
        + _QV
        + r"(?=[ \t]{0,8}(?:$|\r?\n|\*|\d|AES|DES|#))",
        ': PSK "{word:9}"',
    ),
    (
        "redis-user",
        " on >| on #| off >|user default| on +@| on ~",
        r"\b(?:user|USER|setuser|SETUSER)[ ][\w.-]{1,60}[ ](?:on|off)[^\n]{0,80}?[ ][>#<](?P<v>[^\s]{4,200})",
        "user me on >{word:9} ~* +@all",
    ),
    (
        "cookie-file",
        "\ttrue\t|\tfalse\t",
        r"\t(?:TRUE|FALSE)\t\d{1,12}\t[\w.-]{1,80}\t(?P<v>[^\s]{8,4000})",
        "e.org\tTRUE\t/\tTRUE\t1790000000\tsession\t{hex:32}",
    ),
    (
        "mail-login",
        " login |pass |auth plain|auth login",
        r"(?:\bLOGIN[ ][\"']?[\w.@+-]{2,80}[\"']?[ ]|"
        + _START
        + r"PASS[ ]|AUTH PLAIN[ ]|AUTH LOGIN[ ])"
        + _QV,
        "a1 LOGIN me@example.org {word:9}",
    ),
    (
        "wifi-key",
        "key content|key index|schlüsselinhalt|contenu de la clé",
        r"(?:Key Content|Schlüsselinhalt|Contenu de la clé)[ ]{1,20}:[ ](?P<v>[^\n]{4,64})",
        "    Key Content            : {word:9}",
    ),
    (
        "secret-id",
        "secretid|secret_id|secret-id|secret id",
        r"[Ss]ecret[-_ ]?[iI][dD][\"']?[:= \t]{1,14}[\"']?(?P<v>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",
        "SecretID: {hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}",
    ),
    (
        "form-field",
        'form-data; name="',
        r"form-data; name=\"[\w-]{0,40}(?:passw\w{0,4}|passphrase|secret|token|api_?key|pin)\"(?:\r?\n[A-Z][^\n]{1,80})?\r?\n\r?\n(?P<v>[^\s]{4,200})(?=\r?\n)",
        'Content-Disposition: form-data; name="password"\n\n{word:9}\n--x',
    ),
    (
        "pwdump",
        ":::",
        r":(?P<v>[0-9A-Fa-f]{32}:[0-9A-Fa-f]{32}):::",
        "bob:500:{hexup:32}:{hexup:32}:::",
    ),
    ("erlang-cookie", "setcookie", r"-setcookie[ ][\"']?" + _V, "-setcookie {base36up:20}"),
    ("nagios-user", "$=", r"\$USER\d{1,2}\$=(?P<v>[^\s/]{4,200})", "$USER3$={word:9}"),
    (
        "uci-option",
        "option key|option psk|option pass|option wpa|option sae|option priv|option pre|option sec",
        r"\boption[ ](?:key|psk|password|wpa_passphrase|sae_password|private_key|preshared_key|secret)[ ]"
        + _QV,
        "option key '{word:9}'",
    ),
    (
        "device-key",
        "isakmp key|radius|tacacs|key-string| md5 |community|psksecret|wpa-psk|pre-shared|neighbor |enable secret|enable pass|privilege |set pass|set secret|username ",
        r"(?:\bisakmp key|server[ ][^\n]{0,80}?[ ]key|(?:radius|tacacs)[\w-]{0,10}[ ][^\n]{0,60}?key|key-string|(?:message-digest-key|authentication-key)[ ]\d{1,3}[ ]md5|(?:key|password|secret|auth[a-z]{0,12}) [^\n]{0,30}\bmd5(?![ ]key-)|snmp(?:-server)? community|r[ow]community6?|psksecret|wpa-psk ascii|pre-shared-key(?: address[^\n]{0,60} key)?|"
        r"neighbor[ ][\w.:]{3,50}[ ]password|(?:enable|username[ ][\w.@-]{1,40}(?: privilege \d{1,2})?)[ ](?:secret|password)|set[ ](?:passwd|password|psksecret|secret|passphrase|auth-pwd|priv-pwd))[ \t]{1,4}(?:\d{1,2}[ ]|ascii[ ]|encrypted[ ]|ENC[ ])?"
        + _QV,
        "crypto isakmp key {word:9} address 192.0.2.1",
    ),
    (
        "table-row",
        "||",
        r"\|[ ]{0,20}[\"'`*]{0,3}\w{0,30}(?:password|passwd|secret|passphrase|api_?key|access_?key|private_?key|\w_token|_pass)[\"'`*]{0,3}[ ]{0,40}\|[ ]{0,20}[\"'`*]{0,3}(?P<v>[^\s|\"'`*]{4,200})[\"'`*]{0,3}[ ]{0,40}\|",
        "| smtp_password | {word:9} |",
    ),
    (
        "here-string",
        "<<<",
        r"<<<[ ]?[\"']?(?P<v>(?<=[\"'])[^\"'\n$]{5,200}|[^\s\"'`$]{5,200})",
        "realm join x <<< '{word:9}!x'",
    ),
    (
        "printed-config",
        '1) "requirepass|1) "masterauth',
        r"1\)[ ]\"(?:requirepass|masterauth)\"\r?\n2\)[ ]\"(?P<v>[^\"\n]{3,200})\"",
        '1) "requirepass"\n2) "{word:9}"',
    ),
    (
        "basic-text",
        "base64\n|base64 -w",
        r"(?:^|\n)(?![^\n]{0,200}(?:dgst|\d{3}sum))[^\n]{0,200}base64[^\n]{0,40}\n(?P<v>[A-Za-z0-9+/]{12,600}={0,2})(?=\s|$)",
        "$ echo -n x | base64\nYWRtaW46{base64pw:9}",
    ),
    (
        "variable-default",
        'variable "|resource "',
        r"(?:variable|resource)[ ]\"[\w-]{0,40}(?:password|secret|token|_key|passphrase|_pass)\w{0,8}\"[ ]?(?:\"[\w-]{1,40}\"[ ]?)?\{[^{}]{0,200}?(?:default|result|value|secret_string)[ ]{0,12}=[ ]?\"(?P<v>[^\"\n]{4,200})\"",
        'variable "root_password" {\n  type = string\n  default = "{word:9}"\n}',
    ),
    (
        "mail-dialogue",
        "ugfzc3dvcmq6",
        r"UGFzc3dvcmQ6\s{1,4}(?:[A-Z<>-]{1,3}:?[ ]{1,2})?(?P<v>[A-Za-z0-9+/]{6,200}={0,2})(?=\s|$)",
        "S: 334 UGFzc3dvcmQ6\nC: {base64pw:9}",
    ),
    (
        "gossip-key",
        'encrypt = "|encrypt": "|encrypt":"|encrypt: "|encrypt="|encrypt  ',
        r"\bencrypt\"?[ ]{0,12}[:=][ ]?\"(?P<v>[A-Za-z0-9+/]{22,43}={1,2})\"",
        'encrypt = "{base64:43}="',
    ),
    (
        "key-column",
        "^accountkey|storage account|key1 |primarykey|account.key|blob.core",
        r"(?<![A-Za-z0-9+/_-])(?P<v>[A-Za-z0-9+/]{86}==)(?![A-Za-z0-9+/])",
        "key1  FULL  {base64:86}==",
    ),
    (
        "user-option",
        "userpwd|curlopt_userpwd|thin:",
        r"(?:USERPWD[\"']?[,=: ]{1,4}[\"'][\w.@-]{1,60}:|:thin:[\w$]{1,40}/)(?P<v>[^\s\"'@]{3,128})",
        "jdbc:oracle:thin:me/{word:9}@h:1521:X",
    ),
    (
        "key-bytes",
        "^solana|keypair|secretkey|privatekey",
        r"\[\s{0,4}(?P<v>(?:\d{1,3},\s{0,4}){31,63}\d{1,3})\s{0,4}\]",
        "solana id.json [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,{digits:2}]",
    ),
    (
        "link-token",
        "/magic/|/reset/|/reset-password/|/password-reset/|/invite/|/verify/|/confirm/|/activate/|/token/|/magic?|/reset?|/invite?|/verify?|/confirm?|/activate?|samlresponse|samlrequest",
        r"(?:/(?:magic|reset|reset-password|password-reset|invite|verify|confirm|activate|token)(?:/|\?\w{1,8}=)|SAMLResponse=|SAMLRequest=)(?P<v>[A-Za-z0-9_+/=%-]{24,8000})",
        "https://example.org/login/magic/{base62:43}",
    ),
    (
        "secure-string",
        "convertto-securestring",
        r"(?i)ConvertTo-SecureString[ ](?:-(?:String|AsPlainText|Force)[ ]){0,3}[\"'](?P<v>[^\"'\n$]{3,200})[\"']",
        'ConvertTo-SecureString "{word:9}" -AsPlainText -Force',
    ),
    (
        "bundle-login",
        "bundle config",
        r"bundle config[ ][^\n]{0,40}?[\w.-]{3,80}[ ][\w.-]{1,40}:(?P<v>[^\s\"']{4,128})",
        "bundle config gems.example.org me:{word:9}",
    ),
    (
        "named-above",
        "option:|setting:|variable:|name:|key:",
        r"(?:[Oo]ption|[Ss]etting|[Vv]ariable|[Nn]ame|[Kk]ey):[ ]\w{0,40}(?:password|passwd|secret|token|api_key)\s{1,8}(?:[Cc]urrent|[Vv]alue|[Vv]al):[ ](?P<v>[^\s(]{4,200})",
        "Option: admin_password\nCurrent: {word:9}",
    ),
    (
        "telegram-url",
        "api.telegram",
        r"/bot(?P<v>\d{8,10}:[\w-]{30,40})",
        "https://api.telegram.org/bot{digits:10}:AA{url64:32}/getMe",
    ),
    (
        "hook-url",
        "webhooks/|/v2/|/v3/|/hook/|/hooks/|hc-ping|rtmp|integrations/deploy|.ics?s=",
        r"(?:/webhooks/\d{6,24}/(?P<v>[\w-]{40,120})|://[\w.-]{4,60}/(?:[\w.-]{1,24}/){0,4}hooks?/(?P<h>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|://[\w.-]{0,60}(?:infura|alchemy|quiknode|ankr|chainstack|mainnet|testnet|sepolia|goerli|polygon)[\w.-]{0,60}(?:/[\w-]{1,20}){0,2}/(?P<r>[0-9a-f]{32}|[\w-]{32,64})(?=[\s\"'`,;)\]/]|$)"
        r"|/integrations/deploy/prj_\w{10,40}/(?P<d>\w{10})\b|\.ics\?s=(?P<s>[0-9a-f]{32})\b|hc-ping\.com/(?P<p>[\w-]{22,36})|rtmps?://[\w.:-]{4,80}/\w{2,20}/(?P<k>(?:[a-z0-9]{4}-){3,5}[a-z0-9]{4}|live_\d{6,12}_\w{20,40}))",
        "https://sepolia.infura.io/v3/{hex:32}",
    ),
    (
        "scheme-prefix",
        "{plain}|{cleartext}|{clear}",
        r"\{(?:PLAIN|CLEARTEXT|CLEAR|plain|clear)\}(?P<v>[^\s:\"'{}]{4,200})",
        "bob:{PLAIN}{word:9}::::::",
    ),
    (
        "windows-task",
        " /rp ",
        r"[ ]/(?:ru|RU|u|U|rp|RP|create)[ ][^\n]{0,200}?[ ]/(?:rp|RP)[ ]" + _QV,
        "schtasks /create /tn x /ru me /rp {word:9}",
    ),
    (
        "made-user",
        "create_superuser(|create_user(|createuser(|.createasync(",
        r"(?:create_superuser|create_user|createUser|CreateAsync)\([^()\n]{0,20}(?:[\"'][^\"'\n]{1,60}[\"'],[ ]?|[^\"'\n]{0,80}\{[^{}\n]{0,120}\},[ ]?){1,2}[\"'](?P<v>[^\"'\n]{5,120})[\"'][ ]?\)",
        "User.objects.create_superuser('me', 'me@example.org', '{word:9}')",
    ),
    (
        "connected",
        "sequelize(|mysqli(|mysqli_connect(|mysql_connect(|getconnection(|dbconnect(|db_connect(",
        r"(?:Sequelize|mysqli|mysqli_connect|mysql_connect|getConnection|dbConnect|db_connect)\(\s{0,20}(?:(?:[\"'][^\"'\n]{0,120}[\"']|[\w.$]{1,40}),\s{0,20}){2}[\"'](?P<v>[^\"'\n]{4,120})[\"']",
        "new Sequelize('app', 'root', '{word:9}', {dialect: 'mysql'})",
    ),
    (
        "random-result",
        '"result"|"bcrypt_hash"',
        r"\"result\":[ ]?\"(?P<v>[^\"\n]{6,200})\",?\s{0,40}\"(?:special|upper|separator|numeric|override_special)\"",
        '{"length": 12, "result": "{word:12}", "special": true}',
    ),
    (
        "sid",
        "session_id=|sessionid=|phpsessid=|sessid=",
        r"(?i:session_?id|sessid)=(?P<v>(?=[a-z]*\d)(?:[0-9a-z]{26}|[a-z0-5]{24}))(?![\w-])",
        "session_id={base36low:26}",
    ),
    (
        "cipher-key",
        "openssl enc|aes-",
        r"(?:enc[ ][^\n]{0,80}?[ ]-K|aes-?\d{0,3}[^\n]{0,60}(?:from|fromhex|unhex|hex2bin|decodestring)\()[ ]?[\"']?(?P<v>[0-9a-fA-F]{32,64}(?![0-9a-fA-F])|[A-Za-z0-9+/]{43}=)",
        "openssl enc -aes-256-cbc -K {hex:64} -iv 0 -in a",
    ),
    (
        "ntlm",
        "ntlm",
        r"NTLM[ \t]{0,8}:[ ](?P<v>[0-9a-fA-F]{32})(?![0-9a-fA-F])",
        "  * NTLM     : {hex:32}",
    ),
    (
        "keypair",
        "keypair|secret key|private key",
        r"(?i:keypair|secret key|private key)[^\n]{0,24}[:=][ ]?[\"']?(?P<v>[1-9A-HJ-NP-Za-km-z]{86,88})(?![\w])",
        "solana keypair: {base58:88}",
    ),
    (
        "twilio-pair",
        "twilio|client(",
        r"[\"']AC[0-9a-f]{32}[\"'],[ ]?[\"'](?P<v>[0-9a-f]{32})[\"']",
        'Client("AC00000000000000000000000000000001", "{hex:32}")',
    ),
    (
        "algolia-pair",
        "algoliasearch(|searchclient(",
        r"(?i:algoliasearch|searchclient)\([\"'][\w]{8,12}[\"'],[ ]?[\"'](?P<v>[0-9a-f]{32})[\"']",
        "algoliasearch('APPID00001', '{hex:32}')",
    ),
    (
        "eth-key",
        "pk = 0x|pk=0x|privkey",
        r"(?i:\bPK|_PK|privkey)[ ]?[:=][ ]?[\"']?(?P<v>0x[0-9a-fA-F]{64})(?![0-9a-fA-F])",
        "uint256 constant PK = 0x{hex:64};",
    ),
    ("masked-later", "::add-mask::", r"::add-mask::(?P<v>[^\s\"'$]{4,400})", "::add-mask::{word:9}"),
    (
        "cracked",
        "john --show|hashcat",
        _START + r"[\w.$-]{2,40}:(?P<v>[^\s:]{4,64}):\d{3,6}:",
        "$ john --show h.txt\nbob:{word:9}:1001:1001::/home/bob:/bin/sh",
    ),
    (
        "cracked-hash",
        "$1$|$5$|$6$|$y$|$2a$|$2b$|$2y$|$apr1$|$krb5tgs$|$krb5asrep$|$dcc2$",
        r"(?:^|(?<=[\s'\":]))\$[^\s:]{20,4000}:(?P<v>[^\s:\"\\]{4,64})(?=[ \t]*(?:\\{0,4}[nr\"]|\r?\n|$))",
        "$6${base62:16}${base62:86}:{word:9}",
    ),
    (
        "cracked-digest",
        "^session...|hashcat|rockyou|cracked|recovered...",
        _START
        + r"(?:[0-9a-f]{32,128}|\w{1,40}::[^\s]{20,2000})(?::[0-9a-f]{2,32})?:(?P<v>[^\s:\"\\]{4,64})(?=[ \t]*(?:\\{0,4}[nr\"]|\r?\n|$))",
        "$ hashcat -m 0 h.txt rockyou.txt\n00112233445566778899aabbccddeeff:{word:9}",
    ),
    (
        "cracked-from",
        "^session...|hashcat|rockyou",
        _START + r"(?P<v>[0-9a-f]{32,128})(?=:[^\s:\"\\]{4,64}[ \t]*(?:\\{0,4}[nr\"]|\r?\n|$))",
        "{hex:32}:{word:9}\n\nSession..........: hashcat",
    ),
    (
        "replaced",
        "sed -i|sed -e|sed -r|sed 's|sed \"s",
        r"(?i)sed[ ][^\n]{0,80}?s(?P<d>[/|#,~])[^\n]{0,60}?(?:passw|secret|token|_key|apikey|_pass)[^\n/|#,~]{0,30}(?P=d)[^\n/|#~]{0,40}?(?:passw|secret|token|_key|apikey|_pass)\w{0,6}[\"']?[ ]?[:=][ ]?[\"']?(?P<v>[^\s\"'/|#,~$&\\]{5,80})(?=[\"']?(?P=d))",
        "sed -i 's/^password=.*/password={word:9}/' /etc/a.conf",
    ),
    (
        "typed-code",
        "enter code|enter the code|enter your code|verification code|authentication code",
        r"(?i:enter (?:the |your )?(?:\w{2,16} )?code|(?:verification|authentication) code)[^\n:]{0,40}:[ ](?P<v>\d{6,8})(?=[ \t]*(?:\r?\n|$))",
        "Enter code from app (-1 to skip): {digits:6}",
    ),
    (
        "cracked-login",
        "^password hash|^password hashes|^rockyou",
        r"(?:^|\n)(?P<v>[^\s]{4,64})[ \t]{2,24}\((?:\w[\w.@$-]{0,40}|\?)\)[ \t]*(?=\r?\n|$)",
        "Loaded 1 password hash (NT)\n{word:9}          (bob)",
    ),
    (
        "login-found",
        "[+]",
        r"\[\+\][ ](?:[\w.-]{1,40}[\\/\s])?[\w.@$-]{1,40}:(?P<v>[^\s:\"\\]{3,80})(?=\\{0,4}[nr\"]|\s|$)",
        "SMB  192.0.2.1  445  DC  [+] corp.lan\\bob:{word:9} (Pwn3d!)",
    ),
    (
        "login-at-host",
        "impacket|secretsdump|psexec|wmiexec|smbexec|getuserspns|getnpusers|@10.|@192.168.|@172.",
        r"(?:^|[\s\"'])[\w.-]{1,40}/[\w.$-]{1,40}:(?P<q>[\"']?)(?P<v>[^\s\"'/]{4,80})(?P=q)@(?=[\w.-]+(?:\s|$|[\"']))",
        "psexec.py corp.lan/bob:'{word:9}'@192.0.2.1 cmd",
    ),
    (
        "row-of-keys",
        "into api_keys|into apikeys|into api_tokens|into access_tokens|into auth_tokens|into secrets",
        r"(?i:insert into) [\w.\"`]{0,40}(?:api_?keys|tokens|secrets)\b[^\n]{0,80}?(?i:values)[^\n]{0,120}?'(?P<v>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,64})'",
        "INSERT INTO api_keys VALUES (7,'feed','{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}','2026-03-01');",
    ),
    (
        "maven-secret",
        "<master>|<password>|<passphrase>",
        r"<(?:master|password|passphrase)>\{(?P<v>[A-Za-z0-9+/]{20,200}={0,2})\}<",
        "<master>{{base64:63}=}</master>",
    ),
    (
        "chat-login",
        "nickserv identify|/secure set",
        r"(?i:nickserv identify|/secure set \w{1,30})[ ](?:[\w-]{1,30}[ ])?(?P<v>[^\s\"']{5,80})(?=[\s\"']|$)",
        "/msg NickServ IDENTIFY {word:9}",
    ),
    (
        "user-list",
        "scram-sha-256$|userlist|pgbouncer|pgbouncer_stats|auth_type",
        _START + r"\"[\w.@-]{1,60}\"[ \t]{1,8}\"(?P<v>[^\"\n]{4,80})\"[ \t]*(?=\r?\n|$)",
        '; userlist.txt\n"bob" "{word:9}"',
    ),
    (
        "share-login",
        "davfs|php/dav|/webdav",
        r"https?://[^\s]{3,120}[ \t]{1,8}[\w.@-]{1,60}[ \t]{1,8}\"(?P<v>[^\"\n]{4,80})\"[ \t]*(?=\r?\n|$)",
        'https://h.example.org/remote.php/dav bob "{word:9}"',
    ),
    (
        "address-login",
        ".local:|.com:|.org:|.net:|.lan:|.io:",
        r"://[\w.+-]{1,40}@[\w.-]{3,60}:(?P<v>[^\s/@:\"']{4,80})@[\w.-]{2,80}",
        "https://bob@vsphere.local:{word:9}@vc1/sdk",
    ),
    (
        "go-dsn",
        "@(|@tcp(|@unix(",
        r"[\w.-]{1,40}:(?P<v>[^\s\"':/@]{4,80})@(?:tcp|unix)?\([\w./:-]{3,80}\)/",
        'DATA_SOURCE="bob:{word:9}@(db:3306)/"',
    ),
    (
        "answered-field",
        ') "password|) "passwd|) "secret|) "token|) "api',
        r"\d\)[ ]\"\w{0,30}(?:password|passwd|secret|token|api_?key)\"\r?\n[ ]{0,4}\d{1,3}\)[ ]\"(?P<v>[^\"\n]{4,200})\"",
        '3) "password"\n4) "{word:9}"',
    ),
    (
        "path-token",
        "/t/",
        r"https?://[\w.-]{3,80}/t/(?P<v>[A-Za-z0-9_-]{20,80})(?=/|\s|$)",
        "https://conda.example.org/t/{base62:32}/x",
    ),
    (
        "hash-argument",
        "winrm|hashcat|crackmapexec|nxc |netexec|psexec|secretsdump|wmiexec|smbexec|impacket",
        r"[ ](?:-H|-hashes|--hash|-m \d{1,5})[ ]:?(?P<v>(?:[0-9a-f]{32}:)?[0-9a-f]{32})",
        "evil-winrm -i h -u a -H {hex:32}",
    ),
    (
        "seed-argument",
        "oathtool|operator unseal",
        r"(?:oathtool[^\n]{0,60}?[ ]|operator unseal[ ])(?P<v>[A-Za-z0-9+/=]{16,80})(?=\s|$)",
        "oathtool --totp -b {base32:32}",
    ),
    (
        "echoed",
        "password-command|askpass|pass-command|passcommand",
        r"(?:password-command|askpass|pass-command|passcommand)[ =][\"']{0,2}echo[ ](?P<v>[^\s\"']{4,200})",
        "--password-command 'echo {word:9}'",
    ),
    (
        "wallet-accounts",
        "accounts: [|accounts = [|accounts:[|accounts=[",
        r"accounts\s{0,3}[:=]\s{0,3}\[\s{0,8}[\"'](?P<v>(?:0x)?[0-9a-fA-F]{64})(?=[\"'])",
        "accounts: ['0x{hex:64}'],",
    ),
    (
        "totp-file",
        "^totp_auth",
        r"(?:^|\n)(?P<v>[A-Z2-7]{16,64}|\d{8})(?=\r?\n|$)",
        '{base32:26}\n" RATE_LIMIT 3 30\n" TOTP_AUTH\n',
    ),
    (
        "installed",
        "service install|tunnel run|join-token|tailscale up|agent install|agent register|cluster join|bw unlock",
        r"(?:service install|tunnel run --token|--join-token|tailscale up --authkey|agent (?:install|register)|cluster join|bw unlock)[ ](?P<v>[A-Za-z0-9+/=_.-]{20,2000})",
        "cloudflared service install eyJ{base62:60}",
    ),
    (
        "network-keys",
        "s0_legacy|s2_unauthenticated|s2_authenticated|s2_accesscontrol",
        r"(?i:S[02]_(?:legacy|unauthenticated|authenticated|accesscontrol))[\"']?[ ]?[:=][ ]?[\"']?(?P<v>[0-9A-Fa-f]{32})(?![0-9A-Fa-f])",
        "securityKeys:\n  S0_Legacy: {hexup:32}",
    ),
    (
        "uploaded",
        "codecov|codecov.io",
        r"codecov[^\n]{0,100}?[ ](?:-t|--token)[ =](?P<v>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",
        "bash <(curl -s https://codecov.io/bash) -t {hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12} -F unit",
    ),
    (
        "alert-key",
        "routing_key|routingkey",
        r"routing_?[kK]ey[\"']?\s?[:=]\s?[\"']?(?P<v>[0-9a-f]{32})(?![0-9a-f])",
        "  - routing_key: {hex:32}",
    ),
    (
        "access-id",
        "access_key_id|aws_access_key_id|accesskeyid|access-key-id",
        r"(?i:access[_-]?key[_-]?id)[\"']?\s?[:=]\s?[\"']?(?P<v>[A-Z0-9]{20})(?![A-Za-z0-9])",
        "access_key_id = {base36up:20}",
    ),
    (
        "gem-login",
        "bundle_gems__contribsys__com|bundle_enterprise__contribsys__com|bundle_gem__fury__io|bundle_rubygems__pkg__github__com|bundle config",
        r"(?:BUNDLE_[A-Z0-9_]{3,60}[\"']?[:=][ ]?[\"']?|bundle config[ ][^\n]{0,40}?[\w.-]{3,80}[ ])(?P<v>[0-9a-f]{8}:[0-9a-f]{8})(?![\w:])",
        'BUNDLE_GEMS__CONTRIBSYS__COM: "{hex:8}:{hex:8}"',
    ),
    (
        "called-by",
        "register =>",
        r"register[ ]=>[ ](?:\w{3,8}://)?[^\s:@/]{1,60}:(?P<v>[^\s:@/]{4,80})(?::\w{1,40})?@",
        "register => 4930123:{base62:10}@sip.example.org/4930123",
    ),
    (
        "share-line",
        "davfs|php/dav|/webdav",
        r"https?://[^\s]{3,120}[ \t]{1,8}[\w.@-]{1,60}[ \t]{1,8}(?P<v>[^\s\"]{6,80})[ \t]*(?=\r?\n|$)",
        "https://h.example.org/remote.php/webdav bob {word:9}!x",
    ),
    (
        "pair-of-keys",
        "^setvapiddetails|vapid|vapidkeys",
        r"[\"']B[\w-]{86}[\"'],\s{0,40}[\d+→|-]{0,8}\s{0,20}[\"'](?P<v>[\w-]{43})[\"']",
        "webpush.setVapidDetails('mailto:a@example.org', 'B{url64:86}',\n  '{url64:43}');",
    ),
    (
        "query-variables",
        '"variables"',
        r"\"variables\"\s?:\s?\{[^{}\n]{0,200}?\"(?:p|pw|pass|pwd)\"\s?:\s?\"(?P<v>[^\"\n]{4,100})\"",
        '{"query":"mutation($e:String!,$p:String!){login(email:$e,password:$p){token}}","variables":{"e":"a@example.org","p":"{word:9}"}}',
    ),
    (
        "invitation",
        "shared_invite",
        r"shared_invite/(?P<v>zt-[\w-]{16,80})",
        "https://acme.slack.com/join/shared_invite/zt-{base36low:9}-{url64:22}",
    ),
    (
        "made-key",
        "wg genkey|wg genpsk",
        r"wg gen(?:key|psk)(?:(?!pubkey)[^\n]){0,100}\r?\n(?:\S{1,40}[ ])?(?P<v>[A-Za-z0-9+/]{43}=)(?=\s|$)",
        "$ wg genkey | tee /etc/wireguard/a.key\n{base64:43}=",
    ),
    (
        "licence",
        "^lizenzschlüssel|license key|licence key|clé de licence",
        r"(?i:lizenzschlüssel|licen[sc]e key|clé de licence)[^\n:]{0,60}?(?::| is| ist| est)[ ][\"'`]?(?P<v>[0-9a-f]{8})(?![\w-])",
        "Der Lizenzschlüssel für das Plugin ist {hex:8}, bitte eintragen",
    ),
    (
        "pairing-code",
        "setup code|pairing code|setup-code|pairing-code|homekit-code|homekit code",
        r"(?i:setup|pairing|homekit)[ -][cC]ode[^\n:]{0,40}?(?::| is| ist| lautet)[ ][\"'`*]{0,3}(?P<v>\d{3,4}-\d{2,3}-\d{3,4}|\d{11}|\d{8})(?![\w-])",
        "the setup code on the sticker is {digits:4}-{digits:3}-{digits:4}, pair it",
    ),
    (
        "signed-in-xml",
        "user>|username>",
        r"</(?:\w{1,20}:)?(?i:user|username)>\s{0,40}<(?:\w{1,20}:)?(?i:signature|key|code|pin)>(?P<v>[^<\n]{5,100})</",
        "<a:user>shop</a:user><a:signature>{word:9}</a:signature>",
    ),
    (
        "kept-password",
        "find-generic-password|find-internet-password",
        r"find-(?:generic|internet)-password[ ][^\n]{0,120}?-[a-z]{0,2}w[a-z]?\b[^\n]{0,80}\r?\n(?:\d{4}-\d\d-\S{8,20}[ ])?(?P<v>\S{4,100})(?=\r?\n|$)",
        '$ security find-generic-password -wa "shop SFTP"\n{word:9}',
    ),
    (
        "refused-input",
        "^input_value",
        r"(?i:password|passwd|secret|token|api_?key|_key)[ \t]*\r?\n[^\n]{0,200}?input_value='(?P<v>[^'\n]{6,100})'",
        "api_key\n  String should have at most 32 characters [type=string_too_long, input_value='{hex:40}', input_type=str]",
    ),
    (
        "push-user",
        "pushover",
        r"(?i:pushover)[^\n]{0,160}?\buser(?:_?key)?[\"']?[=:][ ]?[\"']?(?P<v>(?=[a-z]*\d)[a-z0-9]{30})(?![a-zA-Z0-9])",
        'pushover: token={base36low:30} user={base36low:30} message="up"',
    ),
    (
        "backup-key",
        "borg_key",
        r"BORG_KEY[ ][0-9a-f]{64}\r?\n(?:\S{1,40}[ ])?(?P<v>[A-Za-z0-9+/]{24,100}={0,2}(?:\r?\n[A-Za-z0-9+/]{4,100}={0,2}(?=\r?\n|$)){0,20})",
        "BORG_KEY " + "0a" * 32 + "\n{base64:70}",
    ),
    (
        "network-login",
        "wlan|wifi|wi-fi|ssid",
        r"(?i:wlan|wi-?fi|ssid)[ ]\"[^\"\n]{2,32}\"[ ]?[:,/-][ ]{1,2}[\"`](?P<v>[^\s\"`]{8,63})[\"`]",
        '- WLAN "lake-5G": `{word:9}`',
    ),
    (
        "wpa-key",
        "wpa2 |wpa3 |wpa |wpa2-|wpa3-",
        r"(?i:\bwpa[23]?(?:-psk|-personal)?(?: key| passphrase| psk| password| pass)?)[ :=]{1,3}[\"'`]?(?!(?i:ccmp|tkip|aes|802))(?P<v>(?=[^\s]{0,60}\d)[^\s\"'`,;]{8,63})",
        "SSID shop-5G, WPA2 key yellow.{lowrare:6}.16, keep it",
    ),
    (
        "when-asked",
        "when asked|when it asks|when prompted|at the prompt|at the password prompt",
        r"(?i:enter|type|give it|give|use|paste)[ ][\"'`]?(?P<v>[^\s\"'`]{6,80}?)[\"'`]?[ ](?i:when (?:it )?(?:asks|asked|prompted)|at the (?:password )?prompt)",
        "run `mysql -u restore -p` and enter {word:9} when asked",
    ),
    (
        "login-pair",
        " / ",
        r"(?i:\bas|\bauth:|\blogin:?|\bcreds:?|\bcredentials:?|\bauth)[ ](?:user )?[\"'`]?[\w.@-]{2,40}[\"'`]? / [\"'`]?(?P<v>(?=[^\s]{0,60}\d)[^\s\"'`,;/]{6,80})",
        "log into grafana as admin / {word:9} and export all dashboards",
    ),
    (
        "mail-call",
        "imap_open(|transport.send(|ftp_login(|smtp_auth(|.authenticate(",
        r"(?:imap_open|Transport\.send|ftp_login|smtp_auth|\.authenticate)\(\s{0,20}(?:(?:[\"'][^\"'\n]{0,120}[\"']|[\w.$]{1,40}),\s{0,20}){2}[\"'](?P<v>[^\"'\n]{5,120})[\"']",
        "$m = imap_open('{imap.example.org:993/ssl}INBOX', 'me@example.org', '{word:9}');",
    ),
    (
        "net-use",
        "net use ",
        r"(?i:net use)[ ][^\n]{3,120}?[ ](?P<v>[^\s/*:\\]{4,80})[ ]/(?i:user):",
        "net use Z: h1 {word:9} /user:CORP",
    ),
    (
        "kernel-key",
        "signature_scheme",
        r"\"key\":\s{0,4}\"(?P<v>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f-]{16,48})\"",
        '{"hb_port": 1, "key": "{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}", "signature_scheme": "hmac-sha256"}',
    ),
    (
        "made-token",
        "full-tokenid",
        r"\"value\":\s{0,4}\"(?P<v>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\"",
        '{"full-tokenid": "bob@pve!x", "value": "{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}"}',
    ),
    (
        "asked-code",
        " pin| puk| tan| mfa| otp| 2fa",
        r"(?<![^\n])[\w .@-]{2,20}(?:[ ]\([\d:]{4,8}\))?:[ ][^\n]{0,80}?\b(?i:pin|puk|tan|mfa|otp|2fa)\b[^\n]{0,60}\n[\w .@-]{2,20}(?:[ ]\([\d:]{4,8}\))?:[ ][^\d\n]{0,24}(?P<v>\d{4,8})(?=[,.! ](?!\d)|\r?\n|$)",
        "Bob: aws wants my mfa\nAnn: just type {digits:6} quick, it rolls",
    ),
    (
        "sent-code",
        "sicherheitscode|bestätigungscode|verification code|security code|código de|code de v|code de s|codice di|einmalcode",
        r"(?i:\b(?:sicherheitscode|bestätigungscode|einmalcode|(?:verification|security) code|código de (?:verificación|seguridad)|code de (?:vérification|sécurité)|codice di (?:verifica|sicurezza)))[^\n]{0,80}?(?:[ ](?:is|ist|lautet|est|es|è)|:)[ ](?P<v>\d{4,8})(?!\d)",
        "Ihr Sicherheitscode für die Zahlung über 8,90 EUR lautet {digits:6}.",
    ),
    (
        "box-code",
        "key box|lockbox|keypad|door|alarm|gate ",
        r"(?i:\b(?:key box|lockbox|keypad|door|alarm|gate)\b)[^\n]{0,60}?\b(?i:code)[ ](?:is )?(?P<v>\d{4,6})(?![\d-])",
        "key box at the cage: code {digits:5}, badge at reception",
    ),
    (
        "passphrase-words",
        "passphrase|seed phrase|recovery phrase|パスフレーズ|master password",
        r"(?i:passphrase|seed phrase|recovery phrase|パスフレーズ|master password)[^\n]{0,48}?(?:is |still |: |, |（|\(|は|e (?=[\"']))[\"'`]?(?P<v>[a-z]{3,10}(?P<j>[ .-])[a-z]{3,10}(?:(?P=j)[a-z]{3,10}){2,22}(?=[\"'`.,;）)]|\s[—–-]|\s*(?:\n|$)))",
        'the key has a passphrase, "camembert otter zapato turnip", so ssh-add it',
    ),
    (
        "made-api-token",
        '"status":"active"|"status": "active"',
        r"\"status\":\s?\"active\",\s{0,40}\"value\":\s?\"(?P<v>[\w-]{40})\"",
        '{"success":true,"result":{"name":"dns","status":"active","value":"{url64:40}"}}',
    ),
    (
        "called-with",
        "mysqli_real_connect|mysqli_connect()|pg_connect()",
        r"(?:mysqli_real_connect|mysqli_connect|pg_connect)\(\)[^\n]{0,80}\((?:'[^'\n]{1,80}', ?){2}'(?P<v>[^'\n]{4,120})'",
        "mysqli_real_connect(): (HY000/1045) in a.php; args: ('localhost', 'me', '{word:9}', 'shop')",
    ),
    *FORMS,
    *SYSTEM_LINES,
    *VENDOR_LINES,
)


def lines(page: Page) -> Iterator[Span]:
    """The secrets of the page that stand in a line of a known form."""
    for row, signs in gate().open(page).items():
        id_, sign, pattern, _ = _ROWS[row]
        # a sign with ^ names the file, so what it says may be anywhere
        places = (
            [(0, len(page.text))]
            if sign.startswith("^")
            else page.near(
                signs,
                after={
                    "variable-default": 8,
                    "form-field": 3,
                    "batch-login": 4,
                    "client-key": 3,
                    "push-target": 3,
                    "login-file": 3,
                    "traced-pass": 3,
                    "first-login": 3,
                    "made-token-row": 3,
                    "agent-key": 6,
                    "backup-rows": 8,
                }.get(id_, 1),
            )
        )
        for start, stop in places:
            for match in _compiled(pattern).finditer(page.text, start, stop):
                page.tick()
                value = match[_group(match)]
                if _accepted(id_, value):
                    at = match.start(_group(match))
                    yield Span(at, at + len(value.rstrip(",;")), id_, "secret")


def _group(match: re.Match[str]) -> str:
    return "v" if match.groupdict().get("v") else match.lastgroup or "v"


def _anchors() -> Anchors:
    # the | of a table's row stands beside the stem of a name
    return Anchors(
        names=True, signs=gate().signs, parts=tuple(sign for sign in gate().wordless if sign != "|")
    )


@cache
def gate() -> Gate:
    return Gate(signs.removeprefix("^").split("|") if signs != "||" else ["|"] for _, signs, _, _ in _ROWS)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE if "_?key" in pattern or "isakmp" in pattern else 0)


_SURE = (
    *dict.fromkeys(form[0] for form in (*FORMS, *SYSTEM_LINES, *VENDOR_LINES)),
    "made-api-token",
    "called-with",
    "asked-code",
    "sent-code",
    "box-code",
    "wpa-key",
    "mail-call",
    "net-use",
    "cracked-from",
    "typed-code",
    "kept-password",
    "network-keys",
    "alert-key",
    "access-id",
    "gem-login",
    "called-by",
    "pair-of-keys",
    "query-variables",
    "invitation",
    "made-key",
    "licence",
    "pairing-code",
    "refused-input",
    "push-user",
    "cracked-hash",
    "cracked-digest",
    "cracked-login",
    "login-found",
    "login-at-host",
    "chat-login",
    "user-list",
    "share-login",
    "address-login",
    "go-dsn",
    "maven-secret",
    "row-of-keys",
    "hook-url",
    "scheme-prefix",
    "masked-later",
    "windows-task",
    "made-user",
    "connected",
    "random-result",
    "sid",
    "cipher-key",
    "ntlm",
    "keypair",
    "twilio-pair",
    "algolia-pair",
    "eth-key",
    "answered-field",
    "secure-string",
    "erlang-cookie",
    "form-field",
    "pwdump",
    "bundle-login",
    "named-above",
    "key-bytes",
    "link-token",
    "key-column",
    "user-option",
    "jwk",
    "mail-dialogue",
    "secret-id",
    "telegram-url",
    "hash-argument",
    "gossip-key",
    "seed-argument",
    "basic-text",
    "installed",
    "redis-user",
    "wallet-accounts",
    "totp-file",
    "printed-config",
    "wifi-key",
    "variable-default",
    "table-row",
    "uci-option",
    "echoed",
)


def _accepted(id_: str, value: str) -> bool:
    if re.fullmatch(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", value):
        return id_ in (
            "secret-id",
            "row-of-keys",
            "hook-url",
            "scheme-prefix",
            "ipsec-secret",
            "path-token",
            "uploaded",
            "kernel-key",
            "made-token",
            "acl-token",
            "shown-token",
            "compared-token",
            "told-to-program",
            "climate-key",
            "scanner-login",
            "metabase-session",
            "made-token-row",
            "key-header",
            "private-hook",
        )
    if id_ in ("passphrase-words", "joined-words", "words-on"):
        return is_phrase(value)
    if id_ == "backup-key":
        return len(set(value)) > 16
    if not is_secret(value, Grade.STRONG, Style.EXACT):
        return False
    if id_ in _SURE or is_evident(value) or looks_random(value) or is_shuffled(value):
        return not (
            id_ == "table-row"
            and re.fullmatch(r"[A-Za-z]{1,11}", value)
            and not is_shuffled(value + "0000000000")
        ) and not (id_ == "basic-text" and not value.endswith("=") and not re.search(r"\d", value))
    if id_ in ("when-asked", "login-pair"):
        return is_joined(value) or is_worded(value) or is_password(value)
    if id_ in ("device-key", "ipsec-secret", "here-string", "login-line") and (
        is_chosen(value) or is_joined(value) or is_spelled(value) or (value.isdigit() and len(value) >= 8)
    ):
        return True
    if re.fullmatch(r"[0-9a-fA-F]{12,64}", value):
        return id_ in ("device-key", "login-line", "ipsec-secret", "here-string")
    if re.fullmatch(r"[a-z]{3,10}(?: [a-z]{3,10}){3,11}", value):
        return not is_label(value)
    if id_ in ("device-key", "login-line", "mail-login") and re.fullmatch(r"[A-Za-z]{8,}", value):
        return is_shuffled(value + "0") or bool(re.search(r"[a-z][A-Z]{2}|[A-Z]{2,}[a-z]+[A-Z]", value))
    return bool(re.search(r"[^\x00-\x7f]", value) and re.search(r"\d", value)) or bool(
        re.search(r"[!@#$%^&*~]", value) and len(value) >= 8 and re.search(r"\d", value)
    )


LINES = Reader(
    id="line",
    kind="secret",
    find=lines,
    anchors=_anchors,
    good=tuple(good for *_, good in _ROWS),
    bad=(
        "user bob on host",
        "option key",
        "  - name: value",
        "the key is here",
        "| password | required |",
        "cat <<< 'hello world'",
        "routing_key: orders.created",
        "https://example.org/webdav is unavailable",
        'the wifi "guest": `enabled`',
        "<username>bob</username><key>primary</key>",
    ),
)
