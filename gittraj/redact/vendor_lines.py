"""More lines of ``lines``: those of particular vendors' tools, scanners, hubs, build servers and games."""

# ruff: noqa: E501 - a pattern that is cut reads worse
from __future__ import annotations

from .pieces import MIXED, UUID

VENDOR_LINES: tuple[tuple[str, str, str, str], ...] = (
    (
        "rules-code",
        "oinkcode|snort.org|snortrules|emergingthreatspro",
        r"(?:oinkcode\s?=\s?|snapshot\.tar\.gz[|])(?P<v>[0-9a-f]{40})|emergingthreatspro\.com/(?P<w>\d{12,20})/",
        "oinkcode = {hex:40}",
    ),
    (
        "proxy-link",
        "ss://|trojan://|hysteria2://|tuic://",
        r"\b(?:ss|trojan|hysteria2?|tuic)://(?P<v>[^\s@/]{6,120})@",
        "trojan://{word:9}@192.0.2.1:443?sni=e.org#n1",
    ),
    (
        "panel-codes",
        "user_code|installer_code|master_code|duress_code",
        r"\b(?:user|installer|master|duress)_code[\"']?\s?[:=]\s?[\"']?(?P<v>\d{4,8})(?!\d)",
        '{"user_code":"{digits:6}","zones":12}',
    ),
    (
        "made-token-row",
        "tokenid",
        r"\bvalue\s{1,12}[│|]\s?(?P<v>" + UUID + r")",
        "│ full-tokenid │ bob@pbs!x │\n│ value │ {hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12} │",
    ),
    (
        "key-pair-user",
        "curl ",
        r"(?: -[a-zA-Z]{0,3}u|--user)[ =]\"(?P<v>[A-Za-z0-9+/]{60,100})\":\"",
        'curl -k -u "{base62:80}":"{base62:80}" https://192.0.2.1/api',
    ),
    (
        "radius-log",
        "login incorrect|login ok",
        r"Login (?:incorrect|OK)[^\n\[]{0,80}\[(?!host/)[\w.@\\-]{1,60}/(?P<v>[^\]\n]{3,80})\]",
        "(3) Login incorrect (mschap): [bob/{word:9}] (from client ap port 0)",
    ),
    (
        "sniffed-login",
        "^http.authbasic",
        r"(?<![^\n])[\d.]{7,15}\t[\w.@-]{1,40}:(?P<v>\S{4,80})",
        "tshark -T fields -e ip.src -e http.authbasic\n192.0.2.1\tadmin:{word:9}\n",
    ),
    (
        "called-session",
        "jsonrpc",
        r"\"result\":\s?\"(?P<v>[0-9a-f]{32})\"",
        '{"jsonrpc":"2.0","result":"{hex:32}","id":1}',
    ),
    (
        "bridge-user",
        "clientkey|hue_user|hue_username",
        r"\"username\":\s?\"(?P<v>[\w-]{40})\",\s?\"clientkey\"|\bHUE_USER(?:NAME)?[\"']?\s?[:=]\s?[\"']?(?P<w>[\w-]{40})",
        '[{"success":{"username":"{base62:40}","clientkey":"{hexup:32}"}}]',
    ),
    (
        "door-code",
        "türcode|alarmcode|zugangscode|alarm pin|door code|gate code|alarm code",
        r"(?i:türcode|alarmcode|zugangscode|alarm pin|(?:door|gate|alarm) code)[^\n:,;]{0,40}?(?:: ?| )(?P<v>\d{4,8})(?![\d-])",
        "Türcode fürs RZ ab heute: {digits:6}, bitte nicht weitergeben",
    ),
    (
        "router-session",
        ";stok=",
        r";stok=(?P<v>[0-9a-f]{32})",
        "http://192.0.2.1/cgi-bin/luci/;stok={hex:32}/api",
    ),
    (
        "cracked-list",
        "^password hashes cracked|password hash cracked",
        r"(?<![^\n])[\w.$-]{2,40}:(?P<v>[^\s:]{4,80}):\d{3,6}::",
        "svc_scan:{word:9}:1107::\n\n1 password hashes cracked, 14 left",
    ),
    (
        "pass-hash",
        "passhash=",
        r"[?&]passhash=(?P<v>\d{6,12})",
        "https://h/api/table.json?username=bob&passhash={digits:10}",
    ),
    (
        "node-identity",
        ":0:",
        r":0:[0-9a-f]{128}:(?P<v>[0-9a-f]{128})",
        "09b1550cc5:0:" + "5b" * 64 + ":{hex:128}",
    ),
    (
        "controller-user",
        "mgmt-user",
        r"mgmt-user \S{1,40} \S{1,40} (?P<v>[0-9a-f]{20,80})",
        "mgmt-user admin root {hex:42}",
    ),
    (
        "agent-key",
        "client.keys|ossec",
        r"(?<![^\n])\d{3,5} \S{1,60} (?:[\d.]{7,15}|any) (?P<v>[0-9a-f]{64})",
        "# cat /var/ossec/etc/client.keys\n001 h1 192.0.2.1 {hex:64}",
    ),
    (
        "revealed",
        "gpp-decrypt|rclone reveal",
        r"(?:gpp-decrypt|rclone reveal) (?P<v>\S{16,200})",
        "$ gpp-decrypt {base62:43}=\n",
    ),
    (
        "revealed-plain",
        "gpp-decrypt|rclone reveal",
        r"(?:gpp-decrypt|rclone reveal) \S{16,200}\n(?P<v>\S{4,80})(?=\s|$)",
        "$ gpp-decrypt {base62:43}=\n{word:9}\n",
    ),
    (
        "decoded-to",
        "decodes to|decoded to|decrypts to|plain text is|plaintext is|reverses to|header: it is",
        r"(?i:decode[sd] to|decrypts to|plain ?text is|reverses to|header: it is) [`\"'](?:[\w.@-]{1,40}:)?(?P<v>[^`\"'\n\s]{5,80})[`\"']",
        "the string in your config decodes to `{word:9}`.",
    ),
    (
        "type-seven",
        "type 7",
        r"(?i:type 7)[^\n]{0,60}[`\"' ](?P<v>[01]\d[0-9A-F]{8,60})(?![0-9A-Za-z])",
        "Cisco type 7 is reversible: the string `05{hexup:18}` in your config",
    ),
    (
        "psk-list",
        "^psk.txt",
        r"(?<![^\n])[\w.-]{1,40}:(?P<v>[0-9a-f]{64})(?![0-9a-f])",
        "; psk.txt\nh1:{hex:64}",
    ),
    (
        "shell-variable",
        "$p=|$pw=|$pass=|$pwd=",
        r"\$(?:p|pw|pass|pwd)\s?=\s?'(?P<v>[^'\n]{6,80})'",
        "powershell -c $p='{word:9}'; runas",
    ),
    (
        "share-user",
        "smbclient|smbget|rpcclient|net rpc|winexe",
        r"-U ['\"]?[^%'\"]{1,60}%(?P<v>[^'\"\s]{4,80})",
        "smbclient //h/share -U 'bob%{word:9}' -c 'ls'",
    ),
    (
        "hash-member",
        "nthash|lmhash|ntlmhash",
        r"\"(?:NT|LM|NTLM)Hash\":\s?\"(?P<v>[0-9a-fA-F]{32})\"",
        '{"User":"bob","NTHash":"{hex:32}"}',
    ),
    (
        "console-login",
        "manager: |console: |portal: |panel: |dashboard: |webui: ",
        r"(?i:manager|console|portal|panel|dashboard|webui): [\w.@-]{2,40}:(?P<v>"
        + MIXED
        + r"[^\s\"'`,;:/]{6,60})(?=[\s,;]|$)",
        "tomcat manager: bob:{word:9} — deploy a.war",
    ),
    (
        "made-certificate",
        "dev-certs",
        r"dev-certs https [^\n]{0,80}(?:-p|--password) (?P<v>\S{4,80})",
        "dotnet dev-certs https -ep a.pfx -p {word:9}",
    ),
    (
        "org-session",
        "sessionheader|sessionid>|access_token|instance_url|salesforce|sfdx",
        r"(?<!\w)(?P<v>00D[A-Za-z0-9]{12,15}![A-Za-z0-9._]{60,130})",
        "<urn:sessionId>00D{base62:12}!{base62:96}</urn:sessionId>",
    ),
    (
        "loader-user",
        "userid=",
        r"\buserid=[\"']?[\w$]{1,30}/(?P<v>[^@\s/\"']{4,60})@",
        "sqlldr userid=deploy/{word:9}@PRD control=load.ctl",
    ),
    (
        "pager-key",
        "pagerduty",
        r"(?i:pagerduty)[^\n]{0,60}\bkey\b[^\n]{0,40}?(?P<v>(?<![\w+-])[0-9a-f]{32}|(?<![\w+-])[\w+-]{20})(?![\w+-])",
        "PagerDuty Events routing key for sync: {hex:32}, severity=error",
    ),
    (
        "equal-to",
        ".equals(",
        r"\"(?P<v>[^\"\n]{4,80})\"\.equals\(\s?(?:\w+\.)?(?:pwd|password|passwd|pass|pw|secret|token)\b",
        'if ("bob".equals(login) && "{word:9}".equals(pwd)) {',
    ),
    (
        "connector-hook",
        "outlook.office.com|webhook.office.com",
        r"office\.com/webhook[\w]{0,4}/[\w@-]{60,90}/\w{4,24}/(?P<v>[0-9a-f]{32})(?:/[\w-]{36})?",
        "https://outlook.office.com/webhook/114ae458-0753-492f-8c23-afc046e3d562@fee82bf2-4c69-4995-87a4-f6846bcde0dd/JenkinsCI/{hex:32}/cbfd82af-6a8c-4ce0-a48e-64a14bd3c607",
    ),
    (
        "asked-key",
        "--query",
        r"--query \"?\[?\]?\.?(?:primary|secondary)\w{0,30}\"?(?: -o tsv| --output tsv)?\n\"?(?P<v>[A-Za-z0-9+/]{20,400}={0,2})(?=[\"\s]|$)",
        'az eventhubs keys list -n send --query primaryKey\n"{base62:43}="',
    ),
    (
        "raw-option",
        "=raw(",
        r"(?i:password|passphrase|secret|token)=RAW\((?P<v>[^)\n]{4,80})\)",
        "sftp://me@h/in?password=RAW({word:9})&amp;delete=true",
    ),
    (
        "package-option",
        "/tp:|/targetpassword:|/sourcepassword:|/sp:",
        r" /(?:tp|sp|TargetPassword|SourcePassword):\"?(?P<v>[^\s\"]{4,80})",
        "SqlPackage.exe /a:Publish /tu:bob /tp:{word:9}",
    ),
    (
        "opened-wallet",
        "set_wallet(",
        r"(?i:set_wallet)\('[^'\n]{1,80}',\s?'(?P<v>[^'\n]{4,80})'",
        "UTL_HTTP.SET_WALLET('file:/u01/wallet', '{word:9}');",
    ),
    (
        "net-session",
        "asp.net_sessionid",
        r"(?i:asp\.net_sessionid)=(?P<v>[a-z0-9]{24})(?![a-z0-9])",
        "ASP.NET_SessionId={base36low:24}; call the page",
    ),
    (
        "my-key",
        "key",
        r"(?i:\bmy|\bour) [\w.-]{2,20} (?:api )?key\b[^\n:]{0,60}: ?[\"'`]?(?P<v>[0-9a-f]{30,64})(?!\w)",
        "use my NCBI key so that we are not limited: {hex:36}. 10 per second",
    ),
    (
        "key-header",
        "-key: |-key:|-token:|-secret:|art-api:",
        r"(?i:\bx-[\w-]{2,30}-(?:key|token|secret|api)):\s?(?P<v>"
        + UUID
        + r"|(?=[^\s]{0,60}\d)[A-Za-z0-9_-]{32,200})(?![\w-])",
        'curl -H "X-Dataverse-key:{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}" https://e.org',
    ),
    (
        "words-below",
        "wallet|seed words|recovery words",
        r"(?i:wallet|seed words|recovery words)[^\n]{0,80}\n[> ]{0,4}(?P<v>[a-z]{3,8}(?: [a-z]{3,8}){11}(?:(?: [a-z]{3,8}){12})?)(?=\n|$)",
        "hardware wallet, 12 words:\nblossom curtain cotton cradle brave canyon cereal bench cactus animal bonus {lowrare:6}\n",
    ),
    (
        "wifi-words",
        "wifi|wi-fi|wlan",
        r"(?i:wi-?fi|wlan)[^\n]{0,80}\n?[^\n]{0,60}\bkey is (?P<v>[a-z]{3,10}(?: [a-z]{3,10}){3,9})(?=[.,;]|\s*(?:\n|$))",
        "ann: what was the wifi again?\nbob: Guests, the key is onion monsoon maple helium {lowrare:6}",
    ),
    (
        "which-password",
        "password|pw|passwd|passwort",
        r"(?i:what'?s|what is|which|wie war|wie ist)[^\n]{0,40}(?i:password|\bpw\b|passwd|passwort)[^\n]{0,60}\n(?:[\w .-]{2,20}:|<[\w-]{2,20}>) [\"'`]?(?P<v>(?=\S{0,40}(?:\d|[a-z][A-Z]|[-_.!?#]\w))[^\s\"'`]{6,40})[\"'`]?(?=[ \t]*(?:\n|$))",
        "Bram: which pw for the shared account\nAnn: {word:9}\n",
    ),
    (
        "channel-token",
        "anaconda ",
        r"anaconda -t (?P<v>[a-z]{2}-" + UUID + r")",
        "anaconda -t qs-114ae458-0753-492f-8c23-{hex:12} upload a.conda",
    ),
    (
        "reset-login",
        "reset to",
        r"(?i:log ?in|login)\b[^\n]{0,40}, reset to (?P<v>" + MIXED + r"[^\s\"'`,;]{6,60})",
        "bob cannot log in to galaxy, reset to {word:9} and send a mail",
    ),
    (
        "pasted-codes",
        "backup codes",
        r"(?i:backup codes)[^\n]{0,60}\n[^\n:]{2,20}: (?P<v>\d{4} \d{4}(?:\s?,\s?\d{4} \d{4}){0,9})",
        "bob: paste the 2FA backup codes\nann: {digits:4} {digits:4} , {digits:4} {digits:4}",
    ),
    (
        "serial-key",
        "serial|-key ",
        r"(?i:serial)[ :]{1,2}(?P<v>[A-Z0-9]{2}-(?:[A-Z0-9]{4}-){4}[A-Z0-9]{4})|-key (?P<w>\d{5}(?:-\d{5}){4})",
        "activate Unity with serial F4-{base36up:4}-{base36up:4}-{base36up:4}-{base36up:4}-{base36up:4}, account x",
    ),
    (
        "dns-token",
        "dns cloudflare|dns hetzner|dns digitalocean|dns gandi|dns duckdns|dns porkbun",
        r"\bdns (?:cloudflare|hetzner|digitalocean|gandi|duckdns|porkbun) (?P<v>[\w-]{20,80})",
        "tls {\n  dns cloudflare {base62:40}\n}",
    ),
    (
        "music-token",
        "spotify",
        r"(?<!\w)(?P<v>BQ[A-D][A-Za-z0-9_-]{80,300})",
        "| spotify-bob | BQD{url64:120} |",
    ),
    (
        "planet-key",
        "planet",
        r"(?<!\w)(?P<v>PLAK[0-9a-f]{32})(?!\w)",
        'GET("https://api.planet.com/data/v1", authenticate("PLAK{hex:32}", ""))',
    ),
    (
        "vault-first",
        "vault.azure.net/secrets",
        r"\"value\":\s?\"(?P<v>[^\"\n]{4,200})\",\s{0,20}\"id\":\s?\"https://[\w.-]{1,60}\.vault\.azure\.net/secrets",
        '{"value":"{word:9}","id":"https://x.vault.azure.net/secrets/k/0e"}',
    ),
    (
        "windows-login",
        "defaultpassword",
        r"DefaultPassword\"?[ \t]{1,12}(?:REG_SZ[ \t]{1,12}|/d )\"?(?P<v>[^\s\"]{3,80})",
        "    DefaultPassword    REG_SZ    {digits:6}",
    ),
    (
        "first-login",
        "initial admin password|initialadminpassword|following password to proceed",
        r"(?i:following password to proceed)[^\n]{0,40}\n(?:[\w-]{1,20}\s{0,4}\|\s{0,4})?\n?(?:[\w-]{1,20}\s{0,4}\|\s{0,4})?(?P<v>[0-9a-f]{32})(?!\w)",
        "Please use the following password to proceed to installation:\n\n{hex:32}\n",
    ),
)
