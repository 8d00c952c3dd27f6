"""More lines of ``lines``: those of system administration, of old servers and devices, of hand-overs and chats."""

# ruff: noqa: E501 - a pattern that is cut reads worse
from __future__ import annotations

from .pieces import MIXED, UUID

_WORDS = r"[a-z]{3,10}(?: [a-z]{3,10}){3,9}"

SYSTEM_LINES: tuple[tuple[str, str, str, str], ...] = (
    (
        "tried-login",
        "success: '",
        r"(?i:success(?:ful login)?): '[\w.\\@-]{1,40}:(?P<v>[^'\n]{3,80})'",
        "[+] 192.0.2.1:22 - Success: 'backup:{word:9}' 'uid=34(backup)'",
    ),
    (
        "samba-hash",
        ":[u",
        r"(?<![^\n])[\w.$-]{1,40}:\d{1,7}:[0-9A-FX]{32}:(?P<v>[0-9A-F]{32}):\[",
        "bob:1064:XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX:{hexup:32}:[U          ]:LCT-5E8A1B2C:",
    ),
    (
        "audited-option",
        "execve",
        r"a\d{1,2}=\"-{1,2}(?:w|p|pw|pass\w{0,5}|storepass|keypass|token)\" a\d{1,2}=\"(?P<v>[^\"\n]{4,200})\"",
        'type=EXECVE argc=3 a0="ldapsearch" a1="-w" a2="{word:9}"',
    ),
    (
        "time-key",
        "^ntp.keys|ntp/keys|chrony.keys",
        r"(?<![^\n])\d{1,5}[ \t]{1,4}(?:M|MD5|SHA1|SHA256|SHA512|AES128CMAC|AES128|AES256)[ \t]{1,4}(?:ASCII:|HEX:)?(?P<v>\S{6,128})",
        "# /etc/ntp/keys\n1 M {base62:16}\n",
    ),
    (
        "tunnel-key",
        "nhrp authentication|key authentication|key accounting|authentication-mode simple",
        r"(?:nhrp authentication|key (?:authentication|accounting) (?:simple|cipher)|authentication-mode simple) (?P<v>\S{4,128})",
        "ip nhrp authentication {base62:8}",
    ),
    (
        "sent-pass",
        "pass ",
        r"(?:USER [\w.@-]{1,40}[:;,]? ?PASS (?P<v>[^\s()]{4,80}))",
        "proftpd[6509] h1 - USER edi: PASS {base62:10} (debug)",
    ),
    (
        "traced-pass",
        "request command: pass",
        r"Request command: PASS\s{1,40}Request arg: (?P<v>\S{3,80})",
        "    Request command: PASS\n    Request arg: {base62:10}\n",
    ),
    (
        "mainframe-user",
        "altuser|adduser|chgusrprf|crtusrprf",
        r"\b(?:ALTUSER|ADDUSER|CHGUSRPRF|CRTUSRPRF)\b[^\n]{0,160}?\b(?:PASSWORD|PHRASE)\('?(?P<v>[^\s()'\"*&]{4,100})'?\)",
        "CHGUSRPRF USRPRF(QSECOFR) PASSWORD({base36up:8}) STATUS(*ENABLED)",
    ),
    (
        "mainframe-login",
        "racf password|tso password|cics password|as/400 password|as400 password",
        r"(?i:racf|tso|cics|as/?400) (?i:password) (?i:is )?(?P<v>[A-Z0-9#@$]{6,8})(?![\w])",
        "userid PRDOP3, racf password {base36up:8}, and run it",
    ),
    (
        "frame-login",
        "called at",
        r"\('[\w.-]{2,60}', ?'[\w.@\\-]{1,40}', ?'(?P<v>[^'\n]{4,80})'\) called at",
        "main::pull('h1', 'edi', '{word:9}') called at /opt/pull.pl line 112",
    ),
    (
        "connected-as",
        "mysqli_real_connect(|mysqli_connect(|mysql_connect(|mysqli_pconnect(|__construct(",
        r"(?:mysqli?_(?:real_|p)?connect|mysqli->__construct|PDO->__construct)\((?:Object\(\w+\), )?'[^'\n]{1,80}', ?'[^'\n]{1,60}', ?'(?P<v>[^'\n]{3,80})'",
        "#0 a.php(1): mysqli_real_connect(Object(mysqli), 'localhost', 'zen', '{word:9}', NULL)",
    ),
    (
        "table-function",
        "mysql('|postgresql('",
        r"\b(?:mysql|postgresql)\('[^'\n]{3,80}', ?'[^'\n]{1,60}', ?'[^'\n]{1,60}', ?'[^'\n]{1,60}', ?'(?P<v>[^'\n]{3,80})'",
        "SELECT * FROM mysql('h:3306', 'shop', 'orders', 'reader', '{word:9}')",
    ),
    (
        "encoded-login",
        "encodetostring(|base64_encode(|b64encode(|btoa(|encode64(",
        r"(?:encodeToString|EncodeToString|base64_encode|b64encode|btoa|encode64)\(\s?(?:\[\]byte\()?b?(?:[\"'][\w.@+-]{1,60}:(?P<v>[^\"'\n$]{4,120})[\"']|'[^'\n]{1,80}' ?\. ?':' ?\. ?'(?P<w>[^'\n]{4,120})')",
        'Base64.getEncoder().encodeToString("rfc:{word:9}".getBytes())',
    ),
    (
        "rancid-login",
        "add password",
        r"(?:add password \S{1,60} |(?<=\} ))\{(?P<v>[^\s{}]{4,80})\}",
        "add password * {{word:9}} {{word:9}}",
    ),
    (
        "clear-login",
        "cleartext",
        r"\b(?:login|pap|chap|opap|ms-chap|enable|arap|global)\s?= ?cleartext \"?(?P<v>[^\"\s]{3,80})\"?",
        'login = cleartext "{word:9}"',
    ),
    (
        "set-to",
        "password|passwort|kennwort|pw|pin|sets ",
        r"(?i:password|passwort|kennwort|\bpw\b|\bpin\b)[^\n]{0,120}?\b(?i:(?:re)?set to|changed to|zurückgesetzt auf|geändert (?:in|auf)) [\"'`]?(?P<v>"
        + MIXED
        + r"[^\s\"'`,;]{6,60})|#[^\n]{0,20}\b(?:re)?sets (?i:administrator|admin|root|sa|password(?: of \w+)?) to (?P<w>"
        + MIXED
        + r"[^\s\"'`,;]{6,60})",
        "the password of SVC_ETL expired. Work note: set to {word:9} and ticked",
    ),
    (
        "using-password",
        ' using "',
        r"\bUSER \"?[\w.-]{1,40}\"? USING \"(?P<v>[^\"\n]{3,80})\"",
        'CONNECT TO "lager@ol" USER "batch" USING "{word:9}"',
    ),
    (
        "login-option",
        "/login:",
        r"/login:[^,\n]{1,60},(?P<v>[^\s\"']{4,80})",
        "tf.exe workspaces /login:CORP\\bob,{word:9}",
    ),
    (
        "exported-by",
        "orauser=|userid=|dbuser=|schema_user=|exp_user=|imp_user=|oracle_user=",
        r"\b(?:ORA|SCHEMA_|DB_?|EXP_|IMP_|ORACLE_)?USER(?:ID)?=[\"']?[\w$]{1,30}/(?P<v>"
        + MIXED
        + r"[^\s\"'/@$]{5,60})",
        "ORAUSER=batch/{word:9}\nexp $ORAUSER file=/exp/a.dmp",
    ),
    (
        "stored-user",
        "hdbuserstore",
        r"hdbuserstore (?:-\w )?(?i:set) \S{1,40} \S{3,80} \S{1,40} (?P<v>\S{4,80})",
        "hdbuserstore SET KEY h:30013 BACKUP_OP {word:9}",
    ),
    (
        "ups-monitor",
        "monitor ",
        r"MONITOR [\w.@-]{2,60} \d{1,2} [\w.-]{1,30} (?P<v>\S{4,60}) (?:master|slave|primary|secondary)",
        "MONITOR ups@192.0.2.1 1 mon {word:9} master",
    ),
    (
        "logged-map",
        "pwd=[|password=[|pass=[|passwort=[|kennwort=[",
        r"\b(?:pwd|pass|password|passwd|passwort|kennwort)=\[(?P<v>[^\]\n]{4,80})\]",
        "params: {user=[bob], pwd=[{word:9}]}",
    ),
    (
        "device-list",
        "^router.db",
        r"(?<![^\n])[\w.-]{2,60}:[a-z]{2,12}:[\w.-]{1,40}:(?P<v>[^\s:]{4,80}(?::[^\s:]{4,80})?)",
        "# oxidized/router.db\nh1:ios:oxi:{word:9}:{word:9}",
    ),
    (
        "login-file",
        "auth-user-pass",
        r"auth-user-pass[^\n]{0,40}\n[\w.@\\-]{2,60}\n(?P<v>\S{4,80})(?=\s|$)",
        "# client.ovpn auth-user-pass file\nbob\n{word:9}\n",
    ),
    (
        "asked-sudo",
        "sudo",
        r"(?i:asking (?:me )?for (?:the )?sudo|sudo p\w+)[^\n]{0,40}?[.,;:] ?(?i:it'?s|it is) [\"'`]?(?P<v>[^\s\"'`,;]{5,60})",
        "stop asking me for sudo. it's {word:9} on all boxes",
    ),
    (
        "it-is",
        "password|passphrase|passwort|pw|pin",
        r"(?i:password|passphrase|passwort|\bpw\b|\bpin\b)[^\n.!?]{0,60}, (?i:it'?s|it is|er ist|es ist) [\"'`]?(?P<v>"
        + _WORDS
        + "|"
        + MIXED
        + r"[^\s\"'`,;]{5,60})(?=[,.;\"'`]|\s|$)",
        "you need the vault password, it's {word:9}, put it there",
    ),
    (
        "arrow-login",
        "root on|root auf|root at|root ->|oracle on|oracle auf|oracle at|oracle ->|admin on|admin auf|admin at|admin ->|administrator on|administrator auf|administrator at|administrator ->|sa on|sa auf|sa at|sa ->|postgres on|postgres auf|postgres at|postgres ->|sys on|sys auf|sys at|sys ->|system on|system auf|system at|system ->",
        r"\b(?:root|oracle|admin|administrator|sa|postgres|sys|system)(?: (?:on|auf|at) [^\n>,;]{2,40}?)? -> [\"'`]?(?P<v>"
        + MIXED
        + r"[^\s\"'`,;]{6,60})",
        "root on h1 -> {word:9}, oracle on the same box",
    ),
    (
        "paging-key",
        "pagerduty",
        r"(?i:pagerduty\w{0,12}_(?:routing|integration|service|api)_?key)[\"']?\s?[:=]\s?[\"']?(?P<v>[0-9a-f]{32})",
        "pagerduty_routing_key: {hex:32}",
    ),
    (
        "ssh-with",
        "ssh|logged in|log in|login|connect|sftp|ftp",
        r"\b(?i:ssh|log(?:ged)? ?in|connect|sftp|ftp)\b[^\n:]{0,40}? with [\w.-]{2,30}:(?P<v>"
        + MIXED
        + r"[^\s\"'`,;:/@]{6,60})(?=[\s,;]|$)",
        "ssh into jump01 with ops:{word:9} and tail the log",
    ),
    (
        "access-pair",
        " / ",
        r"(?i:zugang|zugänge|\baccess|acceso|accès|accesso|dostęp|login|account|htaccess|basic auth|konto|cuenta|compte)\b[^\n:]{0,40}(?:: ?|, it'?s |\? )[\"'`]?[\w.@+-]{2,60} / [\"'`]?(?P<v>(?=[^\s]{0,60}[\d!?%$&*+#])(?=[^\s]{0,60}[^\W\d_])[^\s\"'`,;/]{5,60})",
        "Zugang zum Storage: bob / {word:9} (NetApp)",
    ),
    (
        "team-key",
        "x-honeycomb-team",
        r"x-honeycomb-team[\"']?\s?[:=]\s?[\"']?(?P<v>[A-Za-z0-9]{16,64})",
        "headers:\n  x-honeycomb-team: {base62:32}",
    ),
    (
        "scanner-login",
        "snyk",
        r"\"api\":\s?\"(?P<v>" + UUID + r")\"",
        '{"api":"{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}","endpoint":"https://snyk.io/api"}',
    ),
    (
        "read-code",
        " code",
        r"(?i:\bcode\b)[^\n]{0,80}(?:\?|(?i:per sms|by sms|via sms|text))\n[^\n:]{2,30}: (?P<v>\d{4,8})(?=[,.]? |[,.]?\r?\n|[,.]?$)",
        "emma: can you read me the code from the phone?\ntom: {digits:6}, valid 5 min",
    ),
    (
        "on-sticker",
        "sticker|label|aufkleber|zettel|rückseite",
        r"(?i:password|passwort|key|schlüssel|\bpin\b) (?i:is |steht )?(?i:on|auf) (?i:the|dem|der) (?i:sticker|label|back|aufkleber|zettel|rückseite)(?i: is| ist|:|,)? (?P<v>(?=\S{0,40}\d)\S{6,40}?)(?=[.,;]?(?:\s|$))",
        "fritz.box, password on the sticker {digits:8}, forward 8080",
    ),
    (
        "was-before",
        "password|passwort|kennwort|contraseña|mot de passe",
        r"(?i:password|passwort|kennwort|contraseña|mot de passe)[^\n]{0,80}\((?i:vorher|previously|before|früher|antes|avant|was)(?: war'?s?| was|:)? (?P<v>"
        + MIXED
        + r"[^\s\"'`,;)]{5,60})",
        "das Admin-Passwort ist jetzt {word:9} (vorher war's {word:9}).",
    ),
    (
        "bucket-id",
        "r2_access_key_id",
        r"\bR2_ACCESS_KEY(?:_ID)?[\"']?\s?[:=]\s?[\"']?(?P<v>[0-9a-f]{32})",
        "R2_ACCESS_KEY_ID={hex:32}",
    ),
    (
        "defined-key",
        "define(",
        r"define\(\s?['\"]\w{0,40}(?:LICEN[CS]E|_KEY)(?:_KEY)?['\"],\s?['\"](?P<v>[A-Za-z0-9+/=-]{8,200})['\"]",
        "define( 'ACF_PRO_LICENSE', '{base62:72}' );",
    ),
    (
        "mail-key",
        "klaviyo",
        r"(?<!\w)(?P<v>pk_[0-9a-f]{34})(?!\w)",
        "private Klaviyo key: pk_{hex:34}",
    ),
    (
        "build-hook",
        "build_hooks|hooks.zapier.com",
        r"https?://(?:api\.netlify\.com/build_hooks/(?P<v>[0-9a-f]{24})|hooks\.zapier\.com/hooks/catch/\d{4,12}/(?P<w>\w{5,20}))(?!\w)",
        "https://api.netlify.com/build_hooks/{hex:24}",
    ),
    (
        "publish-code",
        "--otp",
        r"--otp[= ](?P<v>\d{6,8})(?!\d)",
        "npm publish --access public --otp={digits:6}",
    ),
    (
        "set-option",
        "set('|set(\"",
        r"\bset\(\s?['\"][\w./-]{0,40}(?:pass|password|passwd|secret|token)['\"],\s?['\"](?P<v>[^'\"\n]{4,120})['\"]",
        "->set('bin/mysql_pass', '{word:9}');",
    ),
    (
        "called-over-xml",
        "wp.getusersblogs|wp.getposts|wp.newpost|wp.getprofile|wp.editpost",
        r"<value>(?:<string>)?[^<]{1,60}(?:</string>)?</value></param>\s{0,20}<param>\s{0,20}<value>(?:<string>)?(?P<v>[^<]{4,80})",
        "<methodName>wp.getUsersBlogs</methodName><params><param><value>bob</value></param><param><value>{word:9}</value></param>",
    ),
    (
        "metabase-session",
        "x-metabase-session",
        r"(?i:x-metabase-session)[\"']?[,:]\s{0,4}(?:\"value\":\s?)?\"?(?P<v>" + UUID + r")",
        "X-Metabase-Session: {hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}",
    ),
    (
        "generated-peer",
        "wg genkey",
        r"wg genkey[^\n]{0,80}\n(?P<v>[A-Za-z0-9+/]{43}=)",
        "$ wg genkey | tee /dev/stderr | wg pubkey   # peer\n{base64:43}=\n",
    ),
    (
        "user-info",
        "user.info",
        r"basic\.auth\.user\.info[\"']?\s?[,=:]\s?[\"']?[\w-]{4,40}:(?P<v>[A-Za-z0-9+/=_-]{16,120})",
        'props.put("basic.auth.user.info", "NKLF:{base62:64}");',
    ),
    (
        "hostless-link",
        "@/",
        r"\b[a-z][a-z0-9+]{2,20}://[\w.-]{1,60}:(?P<v>[^\s:@/]{3,120})@/",
        "snowflake://SVC:{word:9}@/RAW?account=a",
    ),
    (
        "colon-words",
        "phrase|passphrase|clé chiffrée",
        r"(?i:phrase (?:secrète|de passe)|passphrase|clé chiffrée)[^\n:=]{0,60} ?[:=] [\"'`]?(?P<v>"
        + _WORDS
        + r")(?= \(|[\"'`.,;]|[ \t]*(?:\n|$))",
        "Phrase secrète du dépôt borg : tulip kettle purple raven {lowrare:6} (disque)",
    ),
    (
        "disk-key",
        "luks|bitlocker|veracrypt|filevault",
        r"(?i:\bluks\b|\bbitlocker\b|\bveracrypt\b|\bfilevault\b)[^\n:]{0,40}: ?[\"'`]?(?P<v>(?=[^\s]{0,60}[-\d_.])(?=[^\s]{0,60}[^\W\d_])[^\s\"'`,;/=]{8,80})",
        "LUKS on the backup disk: `tiger-oscar-canyon-{lowrare:6}`. slot 0.",
    ),
    (
        "safe-code",
        "safe|tresor|coffre|cassaforte",
        r"(?i:\b(?:safe|tresor|coffre|cassaforte)\b)[^\n:]{0,50}: ?(?:the )?(?i:code|combination|pin|combinaison|código|codice) (?P<v>\d{4,8})(?!\d)",
        "safe in the office (tapes): code {digits:6} then turn left",
    ),
    (
        "enable-is",
        "enable secret|enable password",
        r"\benable (?:secret|password)(?: (?:on|of|for|is)\b[^\n:]{0,40})?: ?[\"'`]?(?P<v>[^\s\"'`,;]{5,80}?)(?=[.,;\"'`]?(?:\s|$))",
        "enable secret on the core switch: biscuit-quiver-{digits:2}-magnet. go",
    ),
    (
        "words-on",
        "passphrase|master password",
        r"(?i:passphrase|master password) (?:is )?(?P<v>[a-z]{3,10}(?: [a-z]{3,10}){3,7})(?= (?:so|to|in|on|if|as)\b|[.,;]|[ \t]*(?:\n|$))",
        "ssh key passphrase is castle bottle cactus {lowrare:6} so that it asks nothing",
    ),
    (
        "transfer-code",
        "tan|código|cerradura|verificação|verificación",
        r"(?:\bTAN\b[^\n:]{0,60}: |(?i:código de (?:verificação|verificación|la cerradura|segurança))[^\n:]{0,80} (?:é|es) )(?P<v>\d{4,8})(?![\d-])",
        "TAN für die Freigabe der Lastschrift 1: {digits:6} – bitte gleich eingeben",
    ),
    (
        "paid-gems",
        "gems.contribsys.com|gems.graphql.pro",
        r"gems\.(?:contribsys\.com|graphql\.pro)[\"']?[ ,:]{1,3}[\"']?(?P<v>[0-9a-f]{6,16}:[0-9a-f]{6,32})",
        "bundle config set --local gems.contribsys.com {hex:8}:{hex:8}",
    ),
    (
        "deploy-hook",
        "integrations/deploy|calendar/ical",
        r"api\.vercel\.com/v1/integrations/deploy/prj_\w{8,40}/(?P<v>\w{16,40})|calendar/ical/[^\s/]{3,120}/private-(?P<w>[0-9a-f]{32})",
        "https://api.vercel.com/v1/integrations/deploy/prj_AbCdEfGh0123/{base62:24}",
    ),
    (
        "key-in-brackets",
        "auth token|api key|secret key|access token|api token",
        r"(?i:auth token|api key|secret key|access token|api token) \(`?(?P<v>[0-9a-f]{32,64})`?\)",
        "Root cause: the Twilio auth token (`{hex:32}`) had been committed",
    ),
    (
        "german-login",
        "melde dich|logge dich|einloggen|anmelden",
        r"(?i:melde dich|logge dich|einloggen|anmelden)[^\n:]{0,30}? mit [\w.@+-]{2,60} / (?P<v>(?=[^\s/]{0,60}\d)(?=[^\s/]{0,60}[^\W\d_])[^\s/]{6,60})",
        "Melde dich mit anna / {word:9} im Adminbereich an",
    ),
    (
        "words-told",
        "kelime|kurtarma|wörter|mots|palabras|parole|words|slov|słów",
        r"(?i:kelime|kurtarma|wörter|\bmots|palabras|parole|words|slov|słów)[^\n]{0,80}\n?[^\n:]{0,40}[:\n][ \n]{0,4}(?P<v>[a-z]{3,8}(?: [a-z]{3,8}){11}(?:(?: [a-z]{3,8}){12})?)(?=[.\n]|$)",
        "Kurtarma kelimeleri:\nginger island bronze walnut kangaroo glove icon ember pigeon velvet ability {lowrare:6}\n",
    ),
    (
        "private-hook",
        "/webhook/|/webhook-test/",
        r"https?://[\w.:-]{4,80}/webhook(?:-test)?/(?P<v>" + UUID + r")(?![\w-])",
        "https://n8n.example.org/webhook/{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}",
    ),
    (
        "named-pepper",
        "pepper",
        r"\bPEPPER[\"']?\s?[:=]\s?[\"'](?P<v>[^\"'\n]{16,200})[\"']",
        'PEPPER = "{hex:64}".freeze',
    ),
    (
        "remote-login",
        "transmission-remote",
        r"transmission-remote [^\n]{0,80}(?:-n|--auth)[ =][\"']?[\w.-]{1,40}:(?P<v>[^\s\"']{4,80})",
        "transmission-remote 192.0.2.1 -n 'bob:{word:9}' -l",
    ),
    (
        "grouped-key",
        "security key:|recovery key:|sicherheitsschlüssel:",
        r"(?i:security key|recovery key|sicherheitsschlüssel): (?P<v>[A-Za-z0-9]{4}(?: [A-Za-z0-9]{4}){5,14})(?!\w)",
        "Element security key: {base62:4} {base62:4} {base62:4} {base62:4} {base62:4} {base62:4} {base62:4} {base62:4}",
    ),
    (
        "mothers-name",
        "security question|maiden name|first pet",
        r"(?i:security question|maiden name|first pet)[^\n]{0,60}(?i:answer is|answer:|is:) [\"'`]?(?P<v>[^\s\"'`,.;]{4,40})",
        "the security question (mother's maiden name), the answer is {word:9} and",
    ),
    (
        "infura-pair",
        "infuraprovider(|infura_id|infura_project_id|infura_key|infura_project_secret|infura_secret",
        r"(?:InfuraProvider\((?:'[^']*'|\"[^\"]*\"), ?['\"][0-9a-f]{32}['\"], ?['\"](?P<v>[0-9a-f]{32})['\"]|\bINFURA_(?:PROJECT_)?(?:ID|KEY|SECRET)[\"']?\s?[:=]\s?[\"']?(?P<w>[0-9a-f]{32}))",
        "INFURA_ID={hex:32}",
    ),
    (
        "pair-device",
        "adb pair",
        r"adb pair \S{6,60} (?P<v>\d{6})(?!\d)",
        "adb pair 192.0.2.1:37417 {digits:6}",
    ),
    (
        "open-connection",
        "password=",
        r"(?i:;\s?(?:password|pwd)=)(?P<v>[^;\"'\n]{4,80})(?=[;\"'])",
        'conn.Open "Provider=SQLOLEDB;User ID=sa;Password={word:9};"',
    ),
    (
        "session-of-browser",
        "phpsessid|jsessionid",
        r"(?i:phpsessid|jsessionid)\b[^\n:=]{0,80}[:=] ?[\"'`]?(?P<v>[A-Za-z0-9]{20,64})(?!\w)",
        "here is the PHPSESSID from my browser: {base36low:26}",
    ),
    (
        "changed-from",
        "password|passwort|pw|pwd|passwd",
        r"(?i:password|passwort|\bpw|\bpwd|passwd)\b from (?P<v>"
        + MIXED
        + r"[^\s\"'`,;]{6,60}) to [^\s]{5,60}",
        "changed the grafana pw from {word:9} to something else",
    ),
    (
        "jwt-by-word",
        "jwt.encode(|jwt.sign(",
        r"jwt\.(?:encode|sign)\([^\n\"'()]{1,80}, ?[\"'](?P<v>[^\"'\n]{6,120})[\"']",
        'token = jwt.encode(payload, "{word:9}", algorithm="HS256")',
    ),
    (
        "key-from-hex",
        "fromhex(|unhexlify(|from_hex(|hex::decode(",
        r"(?:AES|DES|cipher|Cipher|key|KEY|HMAC|hmac|ChaCha|Fernet)[^\n\"']{0,60}(?:fromhex|unhexlify|from_hex|hex::decode)\([\"'](?P<v>[0-9a-f]{32,128})[\"']",
        'cipher = AES.new(bytes.fromhex("{hex:64}"), AES.MODE_GCM)',
    ),
    (
        "try-again-with",
        "again with ",
        r"(?i:again with|retry with|try) (?P<v>"
        + MIXED
        + r"[^\s\"'`,;]{6,60}) as (?:the )?(?:\w{1,12} ){0,2}(?i:password|passphrase|pw)\b",
        "I changed it, try again with {word:9} as the root password",
    ),
    (
        "now-login",
        " is now ",
        r"\b(?i:admin|login|root|user|account) is now [\w.@-]{2,40}:(?P<v>"
        + MIXED
        + r"[^\s\"'`,;:/]{6,60}?)(?=[.,;]?(?:\s|$))",
        "jira admin is now admin:{word:9}, the old one does not work",
    ),
    (
        "door-code-told",
        "код от|код двер|door code|código de la puerta|code de la porte",
        r"(?i:код от|код двер)[^\n\d]{0,40} (?P<v>\d{4,8})(?!\d)",
        "код от двери серверной {digits:6}, этаж 96",
    ),
    (
        "backup-rows",
        "backup code",
        r"\| ?\d{1,2} ?\| ?(?P<v>[a-z0-9]{4,6}-[a-z0-9]{4,6}) ?\|",
        "| # | backup code |\n|---|---|\n| 1 | {base36low:4}-{base36low:4} |\n",
    ),
    (
        "encrypted-with",
        "encrypted, key|encrypted, pass|encrypted: key",
        r"(?i:encrypted)[,:] (?i:key|password|passphrase)[: ]{1,2}(?P<v>[^\s\"'`,;]{6,80})",
        "the zip is encrypted, key: {word:9}",
    ),
    (
        "key-of-bytes",
        "aes|cipher|secret|hmac|encrypt",
        r"(?:Buffer\.from\(['\"](?P<v>[0-9a-f]{64}|[0-9a-f]{32})['\"], ?['\"]hex['\"]\)|\[\]byte\(\"(?P<w>[0-9a-f]{64}|[0-9a-f]{32})\"\))",
        "const KEY = Buffer.from('{hex:64}', 'hex'); // AES key",
    ),
)
