"""More lines of ``lines``: calls, commands, devices and sentences in which the place alone says that a word is
the secret, so that it may look like anything.
"""

# ruff: noqa: E501 - a pattern that is cut reads worse
from __future__ import annotations

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

FORMS: tuple[tuple[str, str, str, str], ...] = (
    (
        "client-key",
        'client("|client(|api("|api(|service("|store("|documents.azure',
        r"(?:new |= ?|\(|return )[\w.]{2,40}(?:Client|Api|API|Service|Store)\(\s{0,20}[\"']https?://[^\"'\n]{4,160}[\"'],\s{0,20}[\"'](?P<v>[A-Za-z0-9+/_-]{24,200}={0,2})[\"']",
        'new CosmosClient("https://x.documents.azure.com:443/", "{base64:86}==")',
    ),
    (
        "bucket-keys",
        "s3('http|s3cluster('|s3('|gcs('",
        r"(?i:\bs3|\bs3cluster|\bgcs)\(\s?'https?://[^'\n]{4,160}',\s?'[^'\n]{1,80}',\s?'(?P<v>[^'\n]{16,120})'",
        "SELECT 1 FROM s3('https://h:9000/b/*.parquet', 'lake', '{base62:40}', 'Parquet')",
    ),
    (
        "vault-value",
        "vault.azure.net/secrets",
        r"vault\.azure\.net/secrets/[^\"\n]{1,120}\",\s{0,20}\"value\":\s?\"(?P<v>[^\"\n]{4,200})\"",
        '{"id": "https://x.vault.azure.net/secrets/db/0a", "value": "{word:9}"}',
    ),
    (
        "opened-with",
        "datasource(|flyway|.configure(",
        r"\.dataSource\(\s{0,20}\"jdbc:[^\"\n]{4,160}\",\s{0,20}\"[^\"\n]{1,60}\",\s{0,20}\"(?P<v>[^\"\n]{4,120})\"",
        '.dataSource("jdbc:postgresql://h/d", "me", "{word:9}")',
    ),
    (
        "key-of-store",
        "tochararray()",
        r"\.(?:load|getKey|setKeyEntry|store|init|unlock)\([^()\n]{1,80},\s?\"(?P<v>[^\"\n]{4,120})\"\.toCharArray\(\)",
        'ks.load(null, "{digits:8}".toCharArray());',
    ),
    (
        "tan-client",
        "fints3pintanclient(|fintspintanclient(|pintanclient(",
        r"(?i:pintanclient)\((?:\s{0,4}[\"'][^\"'\n]{1,60}[\"'],){2}\s?[\"'](?P<v>[^\"'\n]{4,40})[\"']",
        'FinTS3PinTanClient("12345678", "me", "{digits:5}", "https://example.org/")',
    ),
    (
        "tuya-key",
        "outletdevice(|bulbdevice(|coverdevice(|tinytuya",
        r"\b(?:Outlet|Bulb|Cover)?Device\(\s?['\"]\w{18,24}['\"],\s?(?:['\"][^'\"\n]*['\"]|None),\s?['\"](?P<v>[^'\"\n]{16})['\"]",
        "tinytuya.OutletDevice('0123456789abcdefghij', '192.0.2.1', '{base62:16}')",
    ),
    (
        "write-key",
        "ambient.ambient(|ambient(|thingspeak(",
        r"\b(?i:ambient|thingspeak)\(\d{1,8},\s?['\"](?P<v>[0-9a-fA-F]{16}|[A-Z0-9]{16})['\"]",
        'am = ambient.Ambient(12345, "{hex:16}")',
    ),
    (
        "made-by-salt",
        "mysql.user_create|user_create ",
        r"\buser_create [\w.'\"-]{1,60} (?:'[^'\n]{1,40}'|[\w.%-]{1,40}) (?P<q>['\"])(?P<v>[^'\"\n]{4,120})(?P=q)",
        "salt 'db1' mysql.user_create bob '%' '{word:9}'",
    ),
    (
        "generated",
        "generate_key()|token_hex(|token_urlsafe(|generate_secret(|random_base32(",
        r"(?:generate_key|token_hex|token_urlsafe|generate_secret|random_base32)\([^)\n]{0,12}\)\)?[\"']?[ \t]*\r?\n(?:b?['\"])?(?P<v>[\w+/-]{16,200}={0,2})(?=['\"]|\s|$)",
        ">>> Fernet.generate_key()\nb'{url64:43}='",
    ),
    (
        "piped",
        "keepassxc-cli|cryptsetup|--passphrase-fd|--pinentry-mode|veracrypt|sudo -s |borg ",
        r"(?:echo|printf)(?: -n| '%s')? (?P<q>[\"'])(?P<v>[^\"'\n$`]{5,200})(?P=q) ?\| ?(?:sudo )?(?:keepassxc-cli|cryptsetup|gpg|veracrypt|sudo -S|borg|restic|openssl)",
        'echo "{word:9}" | keepassxc-cli show -s a.kdbx b',
    ),
    (
        "kept-in-file",
        "vault_pass|.pgpass|passwd-file|password.txt|pass.txt|_password|.secret",
        r"echo(?: -n)? (?P<q>[\"'])(?P<v>[^\"'\n$`]{5,200})(?P=q) ?>{1,2} ?[\w./~-]{0,60}(?:vault_pass|password|passwd|secret|_pass|pass\.txt)[\w.]{0,12}(?=\s|$|;|&)",
        "echo '{word:9}' > .vault_pass",
    ),
    (
        "grouped-seed",
        "oathtool",
        r"oathtool[^\n]{0,60}[\"'](?P<v>[a-zA-Z2-7]{4}(?: [a-zA-Z2-7]{4}){3,15})[\"']",
        'oathtool --totp -b "{lowrare:4} {lowrare:4} {lowrare:4} {lowrare:4}"',
    ),
    (
        "seed-told",
        "totp|otp secret|otp seed|2fa secret|mfa secret|2fa seed|2fa key",
        r"(?i:totp|\botp|2fa|mfa)[ -][^\n:]{0,70}?(?::| is| =|=)[ ]?[\"'`]?(?P<v>[A-Z2-7]{16,64})(?![A-Za-z0-9])",
        "TOTP secret for the registrar: {base32:32}, use oathtool",
    ),
    (
        "acl-token",
        "tokens {|initial_management|tokens = {",
        r"\btokens?\s?=?\s?\{[^{}]{0,200}?\b(?:agent|default|initial_management|replication|master|dns)\s?=\s?\"(?P<v>"
        + _UUID
        + r")\"",
        'acl {\n  tokens { agent = "{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}" }\n}',
    ),
    (
        "answered-chat",
        "password|passwd|pwd|pw |passwort|passwor|palavra-passe|contraseña|mot de passe|pass for",
        r"(?i:passwor[dt]|passwd|\bpwd|\bpw|\bpass|palavra-passe|contraseña|mot de passe)\b[^\n]{0,60}\?[ \t\"'}\]]{0,6}(?:\r?\n|,[ ]?\{[^\n{}]{0,60}?\"(?:text|content)\":[ ]?\")[ \t>]{0,4}(?:\[?\d{1,2}:\d\d(?::\d\d)?\]?[ ])?(?:<?@?[\w.-]{2,20}(?: [\w.-]{1,12})?[:>][ ])?(?i:(?:sure|yes|yep|ok|sim|sí|oui|ja)[,.]? )?(?i:it'?s |its |é |es |ist |c'est |das ist |new one is |it is )?[\"'`]?(?P<v>(?=[^\s\"'`,]{0,40}\d)(?=[^\s\"'`,]{0,40}[^\W\d_])[^\s\"'`,<>=/(){}\[\]:]{6,40})[\"'`]?(?=,|\.?[ \t]*(?:\r?\n|$|\"))",
        "> can you share the admin pwd for metabase?\nsure its orchid{lowrare:4}{digits:3}, pls keep it",
    ),
    (
        "my-password",
        "that's my|that is my|it's my|that's the|is my sudo|is my password",
        r"(?i:use|try|type|enter|take|nimm) [\"'`]?(?P<v>[^\s\"'`,]{5,40})[\"'`]?[,;.]? (?i:that'?s|that is|it'?s|das ist) (?i:my|the|our|mein) (?:[\w'-]{1,16} ){0,3}(?i:password|passphrase|passcode|pin|pw|passwort)\b",
        "when asked use orchid{digits:2}, that's my sudo password",
    ),
    (
        "admin-is",
        " is admin / |admin is | is root / |login is |account is ",
        r"(?i:admin|login|account|user|root)(?: \w{2,12})? is [\"'`]?[\w.@-]{2,40}[\"'`]? / [\"'`]?(?P<v>(?=[^\s]{0,60}\d)[^\s\"'`,;/]{6,80})",
        "Grafana admin is admin / {word:9} on h1",
    ),
    (
        "code-of-lock",
        "code for|code of|code to|sleutelcode|code van|code für|code pour|alarmcode|türcode",
        r"(?i:\b\w{0,12}codes?)\b[^\n.:]{0,40}?\b(?i:alarm\w*|safe|lock|door|gate|keypad|key ?box|vault|colo|cage|panel|schloss|zahlenschloss|tür\w*|porte|alarme)\b[^\n.:]{0,40}?(?: is| ist| lautet|:| est| es| to) (?P<v>\d{4,8})(?![\d-])",
        "the code for the key safe at the colo is {digits:6}#, valid until May",
    ),
    (
        "panel-code",
        "panel code|alarm code|door code|gate code|keypad code",
        r"(?i:alarm|door|gate|panel|keypad)(?: \w{2,10})? code(?: (?:for|of|at|on) [^\n.:]{2,40}?)? (?:to|is|:|was) (?P<v>\d{4,8})(?![\d-])",
        "I set the alarm panel code to {digits:8}, the other is outdated",
    ),
    (
        "batch-login",
        "dd *",
        r"(?:SYSIN|INPUT|SYSUT1)\s{1,8}DD \*\s*\n[\w.-]{3,80}\n(?:[\w$.-]{1,40} (?P<v>[^\s]{4,60})|[\w$.-]{1,40}\n(?P<w>[^\s]{4,60}))\n",
        "//SYSIN   DD *\nftp.example.org\nbob\n{word:9}\nput a b\n",
    ),
    (
        "dump-login",
        'starting "|sys_import|sys_export|expdp|impdp|sqlplus',
        r"(?i:SYS_(?:IM|EX)PORT\w*\":|expdp|impdp|sqlplus)[ ]{1,4}(?:-\w[ ]){0,2}[\"']?[\w$]{1,40}/(?P<v>[^\s/@\"']{4,60})@[\w.:/-]{2,80}",
        'Starting "SYSTEM"."SYS_IMPORT_FULL_01":  system/{word:9}@TST1 full=y',
    ),
    (
        "listed-option",
        "[keytool|-storepass,|-keypass,|--password,|-password,|--token,",
        r"[\[,] ?--?(?:storepass|keypass|srcstorepass|deststorepass|password|passphrase|passwd|token|secret), ?(?P<v>[^\s,\]\"']{4,200})(?=[,\]])",
        "Executing command line: [keytool, -import, -storepass, {word:9}, -noprompt]",
    ),
    (
        "vaulted-content",
        "passwordchangeinprocess",
        r"\"Content\":\s?\"(?P<v>[^\"\n]{4,200})\"",
        '{"UserName":"bob","Content":"{word:9}","PasswordChangeInProcess":"False"}',
    ),
    (
        "modem-command",
        "at+cwjap|at+cwsap|at+cpin|at+mqttusercfg|sksetpwd",
        r"(?:AT\+CW[JS]AP(?:_\w{3})?=\"[^\"\n]{0,40}\",\"(?P<v>[^\"\n]{4,64})\"|AT\+CPIN=\"?(?P<w>\d{4,8})\"?|AT\+MQTTUSERCFG=\d,\d,\"[^\"\n]{0,80}\",\"[^\"\n]{0,80}\",\"(?P<x>[^\"\n]{3,120})\"|SKSETPWD \w{1,2} (?P<y>\S{8,32}))",
        'AT+CWJAP="lake","{word:9}"',
    ),
    (
        "hook-key",
        "/api/webhook/|/deploy/srv-",
        r"https?://[\w.:-]{4,80}(?:/api/webhook/(?P<v>[\w-]{24,80})|/deploy/srv-\w{8,40}\?key=(?P<w>[\w-]{8,40}))(?![\w-])",
        "https://h.example.org/api/webhook/{url64:43}",
    ),
    (
        "network-query",
        "&ssid=|?ssid=",
        r"[?&]ssid=[^&\s\"']{1,60}&(?:key|pass|pwd|psk|password)=(?P<v>[^&\s\"']{6,80})",
        "http://192.0.2.1/sta?ssid=lab&key={word:9}",
    ),
    (
        "octets-of-key",
        "network key|network_key|zigbee|networkkey",
        r"(?i:network[_ ]?key)[^\n\[]{0,40}\[\s{0,4}(?P<v>(?:\d{1,3},\s{0,4}){15}\d{1,3})\s{0,4}\]",
        "zigbee network key: [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,{digits:2}]",
    ),
    (
        "paired-device",
        "chip-tool",
        r"chip-tool pairing ble-wifi \S{1,20} \S{1,40} (?P<v>\S{8,64}) \d{8}",
        "chip-tool pairing ble-wifi 1 lake {word:9} 20202021 3840",
    ),
    (
        "pairing-pin",
        "chip-tool",
        r"chip-tool pairing (?:ble-wifi \S{1,20} \S{1,40} \S{8,64}|onnetwork\S{0,10} \S{1,20}|ble-thread \S{1,20} \S{1,400}) (?P<v>\d{8})(?!\d)",
        "chip-tool pairing onnetwork 1 {digits:8}",
    ),
    (
        "dial-up",
        "pp auth myname",
        r"pp auth myname \S{1,80} (?P<v>\S{4,80})",
        "pp auth myname me@example.org {word:9}",
    ),
    (
        "flashed-with",
        "espota",
        r"espota\S{0,8} [^\n]{0,80}?(?:-a|--auth[= ]) ?(?P<v>\S{4,80})",
        "python3 -m espota -i 192.0.2.1 -p 3232 -a {word:9} -f a.bin",
    ),
    (
        "shown-key",
        "xxd -p|xxd |od -an|hexdump",
        r"(?:xxd|od|hexdump) (?!(?i:[^\n]*(?:digest|pub)))[^\n]{0,60}[\w./-]{0,60}(?:key|secret|psk)[\w.-]{0,12}(?:\.bin|\.key)?\r?\n(?P<v>[0-9a-f]{32,128})(?=\s|$)",
        "$ xxd -p -c 32 flash_key.bin\n{hex:64}",
    ),
    (
        "below-identity",
        "tlspskidentity|psk file",
        r"(?i:psk file|tlspskfile)[^\n]{0,60}\n(?P<v>[0-9a-f]{32,512})(?=\s|$)",
        "TLSPSKIdentity=a\n# psk file content\n{hex:64}",
    ),
    (
        "key-part",
        "zmk_comp_1|zmk_comp_2|zmk_comp_3|zmk_component|tmk_comp_1|kek_comp_1|lmk_comp_1|bdk_comp_1|zmk|tmk|zpk|lmk|kek|bdk",
        r"\b(?:ZMK|TMK|ZPK|LMK|KEK|BDK|TPK|PVK)\w{0,16}[ ]{0,4}[:=][ ]{0,4}[\"']?(?P<v>[0-9A-Fa-f]{16,48})(?![0-9A-Fa-f])",
        "ZMK_COMP_1 = {hexup:32}",
    ),
    (
        "shop-key",
        "przelewy24|payu",
        r"\b(?:crc|second_key(?:_md5)?|reports_key)[\"']?[ ]?[:=][ ]?[\"']?(?P<v>[0-9a-f]{16,32})(?![0-9a-f])",
        "przelewy24:\n  crc: {hex:16}\n",
    ),
    (
        "label-of-login",
        "- sudo|sudo :|sudo:|- root|root :|root:",
        r"(?<![^\n])[ \t]{0,4}[-*•][ ]{1,3}(?i:sudo|root|mysql root|admin|wifi|vpn)[ ]{0,2}:[ ]{1,3}[\"'`]?(?P<v>(?=[^\s\"'`/]{0,60}\d)(?=[^\s\"'`/]{0,60}[^\W\d_])[^\s\"'`/@]{6,60})[\"'`]?(?=[ \t]*(?:\r?\n|$))",
        "- sudo : {word:9}",
    ),
    (
        "app-password-groups",
        "application password|app password|app-password|anwendungspasswort",
        r"(?i:app(?:lication)?[ -]password|anwendungspasswort)[^\n]{0,80}?(?P<v>(?:[A-Za-z0-9]{4} ){5}[A-Za-z0-9]{4})(?![\w])",
        "application password for the REST API is {base62:4} {base62:4} {base62:4} {base62:4} {base62:4} {base62:4} (user bob)",
    ),
    (
        "defined-for-app",
        "--dart-define",
        r"--dart-define=\w{0,40}(?:SECRET|KEY|TOKEN|PASSWORD|PASS)\w{0,12}=(?P<v>[^\s\"'$]{8,200})",
        "flutter build apk --dart-define=PARTNER_SECRET={hex:40}",
    ),
    (
        "nkey-seed",
        "nkey|nkeys|seed",
        r"(?<![A-Za-z0-9])(?P<v>S[UANOCX][A-Z2-7]{56})(?![A-Za-z0-9])",
        "-----BEGIN USER NKEY SEED-----\nSU{base32:56}\n",
    ),
    (
        "devops-token",
        "azure devops|dev.azure.com|visualstudio.com| pat |pat-a",
        r"(?<![A-Za-z0-9])(?P<v>[a-z2-7]{52})(?![A-Za-z0-9])",
        "my PAT for Azure DevOps: {lowrare:26}{lowrare:26}",
    ),
    (
        "session-cookie",
        "wordpress_logged_in|i_like_gitea|wordpress_sec|laravel_session|connect.sid|ci_session",
        r"\b(?:wordpress_(?:logged_in|sec)_\w{8,40}|i_like_gitea|laravel_session|connect\.sid|ci_session)=(?P<v>[^\s;\"']{16,400})",
        "-b 'i_like_gitea={hex:16}; lang=en'",
    ),
    (
        "csrf-cookie",
        "i_like_gitea",
        r"\b_csrf=(?P<v>[\w-]{16,80})",
        "-b 'i_like_gitea=1; _csrf={url64:32}'",
    ),
    (
        "typed-field",
        ".type(",
        r"(?i:password|passwd|pin)[\"']?\]?[\"']\)\.type\([\"'](?P<v>[^\"'\n{}]{4,80})(?:\{\w{2,10}\})?[\"']",
        'cy.get(\'input[name="password"]\').type("{word:9}{enter}")',
    ),
    (
        "key-as-user",
        "curl -u |curl -su |--user ",
        r"(?: -[a-zA-Z]{0,3}u|--user)[ =]?[\"']?(?P<v>[A-Za-z0-9_-]{16,80}):(?:[xX])?[\"']?(?=\s|$)",
        "curl -u {base62:20}:X https://x.freshdesk.com/api/v2/tickets",
    ),
    (
        "hook-of-chat",
        "/hooks/",
        r"https?://[\w.:-]{4,80}/hooks/(?P<v>[a-z0-9]{26})(?![\w-])",
        "https://chat.example.org/hooks/{base36low:26}",
    ),
    (
        "shown-token",
        "heroku auth:token",
        r"heroku auth:token[^\n]{0,40}\n(?:[^\n]{0,120}\n){0,2}(?P<v>"
        + _UUID
        + r"|HRKU-[\w-]{20,80})(?=\s|$)",
        "$ heroku auth:token\n{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}\n",
    ),
    (
        "screen-lock",
        "input text|unlock",
        r"(?i:shell input text (?P<v>\S{4,40})(?=[^\n]{0,40}(?:pin|pass|unlock|lock))|unlock[^\n]{0,60} (?:with|use) (?:the )?pin (?P<w>\d{4,12}))",
        "adb shell input text {digits:6}   # unlock PIN",
    ),
    (
        "login-with",
        "log in|login|log into|logged in|sign in|signed in",
        r"(?i:log(?:ged)? ?in(?:to)?|sign(?:ed)? ?in(?:to)?)\b[^\n:]{0,40}? (?:with|as|using) [\w.@+-]{2,60}(?: / |/)(?P<v>(?=[^\s/]{0,60}\d)(?=[^\s/]{0,60}[^\W\d_])[^\s/]{6,60})",
        "log into the emulator with me@example.org / {word:9} and tell",
    ),
    (
        "session-of-role",
        "assume-role|get-session-token|sessiontoken",
        r"(?<![A-Za-z0-9+/])(?P<v>[A-Za-z0-9+/]{180,2000}={0,2})(?![A-Za-z0-9+/])",
        "$ aws sts assume-role --output text\n{base64:220}",
    ),
    (
        "push-target",
        "pushover",
        r"\buser(?:_key)?[\"']?\s{0,2}[=:]\s{0,2}[\"']?(?P<v>(?=[a-z]*\d)[a-z0-9]{30})(?![a-zA-Z0-9])",
        '-F "user={base36low:30}" https://api.pushover.net/1/messages.json',
    ),
    (
        "trigger-key",
        "maker.ifttt.com|/with/key/",
        r"/with/key/(?P<v>[\w-]{16,60})(?![\w-])",
        "https://maker.ifttt.com/trigger/a/with/key/{url64:22}",
    ),
    (
        "asked-lock-code",
        "door code|gate code|alarm code|safe code|lock code|alarm pin",
        r"(?i:door|gate|alarm|safe|lock|keypad) (?:code|pin)[^\n?]{0,60}\??[ \t]*\r?\n[ \t>]{0,4}[\w.@ -]{2,20}[:>] (?P<v>\d{4,8})(?![\d-])",
        "Ann: whats the door code for the server room\nBob: {digits:6} then hash",
    ),
    (
        "told-to-program",
        "shodan init|snyk config set|snyk auth",
        r"(?:shodan init |snyk config set api=|snyk auth )(?P<v>[A-Za-z0-9-]{32,40})(?=\s|$)",
        "shodan init {base62:32}",
    ),
    (
        "counted-words",
        "12 words|24 words|twelve words|the words",
        r"(?i:12|24|twelve|twenty-four|the) words[^\n:]{0,60}: ?[\"'`]?(?P<v>[a-z]{3,8}(?: [a-z]{3,8}){11,23})(?=[\"'`.,;]|\s*(?:\n|$))",
        "here's the 12 words: jacket glimpse marble illness magnet fiction wrestle banana flavor gravity cigar {lowrare:6}",
    ),
    (
        "ftp-script",
        "user |open ",
        r"(?<![^\n])[ \t]{0,4}user [\w.@-]{1,40} (?P<v>\S{4,60})[ \t]*\r?\n[ \t]{0,4}(?:binary|ascii|passive|prompt|hash|cd|lcd|put|get|mput|mget|ls)\b",
        "open 192.0.2.1\nuser bob {word:9}\nbinary\nput a.csv\nbye",
    ),
)
