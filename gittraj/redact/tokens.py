"""Secrets that are known by their form alone, wherever they stand. The forms are the vendors' own.

Lengths are lenient: what has the vendor's prefix and random characters is better removed than kept.
Inspired by gitleaks, betterleaks (MIT) and kingfisher (Apache-2.0); no rule of theirs is copied.
"""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from functools import cache

from .anchors import Anchors
from .base58 import has_checksum
from .lazy import lazy
from .randomness import likelihood
from .rules import Page, Reader, Rule, Span, tells
from .values import TOOL_ID, is_placeholder

_PREFIX = lazy(r"^(?:[A-Za-z]{1,12}[-_.:])(?:[A-Za-z]{1,12}[0-9]{0,2}[-_.])*(?=.{12})")


def is_drawn(value: str) -> bool:
    """Whether the part after the prefix was drawn at random, not written: ``sk-your-api-key-goes-here``."""
    body = _PREFIX.sub("", value[:160])
    if (
        is_placeholder(value)
        or is_placeholder(body)
        or len(set(body)) < 7
        or _SEQUENCE.search(body.lstrip("A").lower())
    ):
        return False
    score = likelihood(body)  # 0: too few letters to tell
    return score < -4.4 or (score == 0 and any(map(str.isdigit, body)))


_SEQUENCE = lazy(r"abcdefgh|12345678(?:9|$)|0123456|987654321|qwertyui|(.)\1{6}|(?:abc|123){3}|xxxxx")
# id: prefixes: what follows: what an example's rest looks like
_TABLE = """
aws-key-id: AKIA ASIA ABIA ACCA: [A-Z2-7]{16}(?![A-Za-z0-9]): {base32:16}
aws-bedrock-key: ABSK bedrock-api-key-: [A-Za-z0-9+/]{60,1400}={0,2}: {base64:128}
alibaba-key: LTAI: [A-Za-z0-9]{12,24}(?![A-Za-z0-9]): {base62:20}
paseto-token: v1.local. v2.local. v3.local. v4.local.: [A-Za-z0-9_-]{40,4000}: {url64:120}
tencent-key: AKID: [A-Za-z0-9]{28,36}(?![A-Za-z0-9]): {base62:32}
github-token: ghp_ gho_ ghs_ ghu_ ghr_: [A-Za-z0-9]{30,255}: {base62:36}
github-token: github_pat_: [A-Za-z0-9_]{36,255}: {base62:22}_{base62:59}
gitlab-token: glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct- glwt-: [A-Za-z0-9_.-]{18,300}: {url64:20}
gitlab-token: GR1348941: [A-Za-z0-9_-]{18,30}: {url64:20}
bitbucket-token: ATBB BBDC- ATCTT3 ATATT3 ATOA: [A-Za-z0-9_=+/-]{24,300}: {url64:44}
slack-token: xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxc- xoxd- xoxe.xoxp- xoxe.xoxb- xapp- xwfp-: [A-Za-z0-9%-]{16,255}: {digits:12}-{digits:13}-{base62:24}
slack-webhook: hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/: [A-Za-z0-9/_-]{20,160}: T{base36up:8}/B{base36up:8}/{base62:24}
discord-webhook: discord.com/api/webhooks/ discordapp.com/api/webhooks/: [0-9]{15,20}/[\\w-]{40,100}: {digits:18}/{url64:68}
teams-webhook: webhook.office.com/webhookb2/: [A-Za-z0-9@/-]{60,300}: {hex:8}-{hex:4}-{hex:4}/IncomingWebhook/{hex:32}/{hex:32}
zapier-webhook: hooks.zapier.com/hooks/catch/: [0-9]{4,12}/[a-z0-9]{5,20}: {digits:8}/{base36low:14}
make-webhook: eu1.make.com/ eu2.make.com/ us1.make.com/ us2.make.com/ hook.make.com/: [a-z0-9]{24,40}(?![a-z0-9]): {hex:32}
google-chat-webhook: chat.googleapis.com/v1/spaces/: [\\w-]{4,40}/messages\\?key=[\\w-]{20,60}&token=[\\w%-]{20,80}: {base62:11}/messages?key={url64:39}&token={url64:43}
stripe-key: sk_live_ rk_live_ sk_test_ rk_test_ sk_org_ whsec_ sk_prod_: [A-Za-z0-9+/=_]{16,255}: {base62:24}
anthropic-key: sk-ant-: [A-Za-z0-9_-]{20,200}: {url64:93}AA
openai-key: sk-proj- sk-svcacct- sk-admin- sk-None- sk-or-v1- sk-lf- sk-litellm- sk-service-: [A-Za-z0-9_-]{20,255}: {url64:64}
openai-key: sk-: [A-Za-z0-9]{18,128}(?![A-Za-z0-9]): {base62:48}
openai-key: sess-: [A-Za-z0-9]{36,60}(?![A-Za-z0-9-]): {base62:40}
google-key: AIza: [A-Za-z0-9_-]{33,39}: {url64:35}
google-secret: GOCSPX-: [A-Za-z0-9_-]{20,60}: {url64:28}
google-key: AQ.: [A-Za-z0-9_-]{45,60}(?![A-Za-z0-9_-]): Ab8{url64:47}
clickhouse-key: 4b1d: [A-Za-z0-9]{38}(?![A-Za-z0-9]): {base62:38}
google-token: ya29. 1//0: [A-Za-z0-9_-]{30,1024}: {url64:120}
google-hmac: GOOG1 GOOG: [A-Z0-9]{20,58}(?![A-Za-z0-9]): {base36up:24}
woocommerce-key: ck_ cs_: [0-9a-f]{40}(?![0-9a-f]): {hex:40}
k3s-token: K10: [0-9a-f]{48,72}::[\\w.:-]{1,60}:[0-9a-f]{32}: {hex:64}::server:{hex:32}
npm-token: npm_ npms_: [A-Za-z0-9]{32,40}(?![A-Za-z0-9]): {base62:36}
pypi-token: pypi-: [A-Za-z0-9_-]{50,1000}: AgEIcHlwaS5vcmc{url64:120}
docker-token: dckr_pat_ dckr_oat_: [A-Za-z0-9_-]{20,64}: {url64:27}
huggingface-token: hf_ api_org_: [A-Za-z0-9]{30,44}(?![A-Za-z0-9_]): {alpha:34}
sendgrid-key: SG.: [A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{32,64}: {url64:22}.{url64:43}
digitalocean-token: dop_v1_ doo_v1_ dor_v1_ doos_v1_: [0-9a-f]{40,64}: {hex:64}
age-key: AGE-SECRET-KEY-1 AGE-PLUGIN-: [A-Z0-9-]{40,120}: {bech32:58}
vault-token: hvs. hvb. hvr.: [A-Za-z0-9_-]{20,300}: {url64:24}
plex-claim: claim-: [A-Za-z0-9_-]{20}(?![A-Za-z0-9_-]): {base62:20}
weblate-token: wlu_ wlp_: [A-Za-z0-9]{36,44}(?![A-Za-z0-9]): {base62:40}
linear-key: lin_api_ lin_oauth_ lin_wh_: [A-Za-z0-9]{30,80}: {base62:40}
databricks-token: dapi dose: [0-9a-f]{32}(?:-[0-9])?(?![0-9A-Za-z]): {hex:32}
shopify-token: shpat_ shpca_ shppa_ shpss_ shpua_ shptka_ shprt_: [0-9a-fA-F]{30,40}: {hex:32}
supabase-key: sb_secret_ sbp_: [A-Za-z0-9_-]{20,64}: {url64:31}
doppler-token: dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.: [A-Za-z0-9._-]{36,100}: {base62:43}
cloudflare-key: v1.0-: [0-9a-f]{24}-[0-9a-f]{100,160}: {hex:24}-{hex:146}
cloudflare-token: cfat_ cfut_ cfk_: [A-Za-z0-9_-]{30,80}: {base62:40}
planetscale-token: pscale_tkn_ pscale_oauth_ pscale_pw_: [A-Za-z0-9_.=-]{30,64}: {url64:43}
grafana-token: glsa_ glc_: [A-Za-z0-9+/=_]{30,400}: {base62:32}_{hex:8}
newrelic-key: NRAK- NRJS- NRII- NRIQ- NRRA- NRSP-: [A-Za-z0-9_-]{19,44}: {base36up:27}
laravel-key: base64:: (?<!;base64:)[A-Za-z0-9+/]{43}=(?![A-Za-z0-9+/=]): {base64:43}=
laravel-cookie: eyJpdiI6: [A-Za-z0-9+/=%]{80,4000}: {base64:160}
apple-session: DAWTKNV3: [A-Za-z0-9+/=_-]{60,2000}: {base62:90}
java-keystore: /u3+7QAAAA: [A-Za-z0-9+/]{80,20000}={0,2}: {base64:120}
postman-key: PMAK- PMAT-: [0-9a-zA-Z-]{24,70}: {hex:24}-{hex:34}
pulumi-token: pul-: [0-9a-f]{40}: {hex:40}
mailgun-key: key-: [0-9a-f]{32}(?![0-9A-Za-z]): {hex:32}
brevo-key: xkeysib- xsmtpsib-: [0-9a-f]{64}-[A-Za-z0-9]{16}: {hex:64}-{base62:16}
rubygems-key: rubygems_: [0-9a-f]{48}: {hex:48}
crates-token: cio: [A-Za-z0-9]{32}(?![A-Za-z0-9]): {base62:32}
nuget-key: oy2: [a-z0-9]{43}(?![A-Za-z0-9]): {base36low:43}
clojars-token: CLOJARS_: [a-f0-9]{50,64}: {hex:60}
figma-token: figd_ figu_ figo_: [A-Za-z0-9_-]{36,80}: {url64:40}
notion-token: secret_ ntn_: [A-Za-z0-9]{40,50}(?![A-Za-z0-9_]): {base62:46}
groq-key: gsk_ xai- pplx- nvapi- r8_ tgp_v1_ fw_ pcsk_ csk- cpk_ voyage- pa- jina_ tvly- fc- exa_ jk_: [A-Za-z0-9_-]{28,140}: {base62:52}
langsmith-key: lsv2_pt_ lsv2_sk_: [0-9a-f]{32}_[0-9a-f]{10}: {hex:32}_{hex:10}
square-token: EAA sq0csp- sq0atp- sq0idp-: (?![0-9A-F]{37}(?![A-Za-z0-9]))[A-Za-z0-9_-]{22,250}(?![A-Za-z0-9/+]): {url64:60}
azure-secret: 8Q~: [A-Za-z0-9~._-]{31,36}: {base62:34}
artifactory-key: AKCp cmVmdGtu: [A-Za-z0-9]{56,80}(?![A-Za-z0-9]): {base62:69}
sentry-token: sntrys_ sntryu_ sntrya_: [A-Za-z0-9+/=_-]{40,500}: {hex:64}
netlify-token: nfp_ nfc_ nfo_ nfu_ nfb_: [A-Za-z0-9_]{30,60}: {base62:40}
vercel-token: vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_: [A-Za-z0-9_]{24,80}: {base62:56}
fly-token: fm1a_ fm1r_ fm2_ fo1_: [A-Za-z0-9+/=_-]{30,2000}: {base64:140}
heroku-token: HRKU-: [A-Za-z0-9_-]{30,80}: {url64:60}
render-key: rnd_: [A-Za-z0-9]{24,40}: {base62:32}
railway-buildkite-token: bkua_ bkpt_ bkct_ bkaj_: [A-Za-z0-9]{32,64}: {hex:40}
circleci-token: CCIPAT_ CCIPRJ_: [A-Za-z0-9_]{30,80}: {base62:22}_{hex:40}
sonar-token: sqp_ squ_ sqa_: [0-9a-f]{40}: {hex:40}
dropbox-token: sl. sl.u.: [A-Za-z0-9_-]{60,1400}: {url64:135}
airtable-token: pat: [A-Za-z0-9]{14}\\.[0-9a-f]{64}: {base62:14}.{hex:64}
hubspot-token: pat-na1- pat-na2- pat-eu1- pat-ap1-: [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}: {hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}
contentful-token: CFPAT-: [A-Za-z0-9_-]{40,50}: {url64:43}
mapbox-token: sk.eyJ tk.eyJ: [A-Za-z0-9_-]{20,300}\\.[A-Za-z0-9_-]{20,30}: {base62:60}.{url64:22}
plaid-token: access-sandbox- access-development- access-production-: [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}: {hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}
paypal-token: access_token$: (?:production|sandbox)\\$[0-9a-z]{16}\\$[0-9a-f]{32}: production${hex:16}${hex:32}
docker-swarm-token: SWMTKN-1-: [a-z0-9]{40,60}-[a-z0-9]{20,30}: {base36low:50}-{base36low:25}
openshift-token: sha256~: [A-Za-z0-9_-]{40,50}(?![A-Za-z0-9_-]): {url64:43}
fireworks-key: fw_: [A-Za-z0-9]{22,28}(?![A-Za-z0-9_]): {base62:24}
runpod-key: rpa_: [A-Z0-9]{36,50}(?![A-Za-z0-9_]): {base36up:42}
adyen-key: AQE: [a-z][a-zA-Z0-9+/]{20,90}={0,2}-[a-zA-Z0-9+/]{20,60}={0,2}-[a-zA-Z0-9+/=.:_{}<>~^%$#@!-]{8,60}: yhmf{base62:60}-{base62:43}=-{base62:16}
razorpay-key: rzp_live_ rzp_test_: [A-Za-z0-9]{14,24}: {base62:24}
flutterwave-key: FLWSECK- FLWSECK_TEST-: [A-Za-z0-9]{12,40}-X: {hex:32}-X
twitter-token: AAAAAAAAAAAAAAAAAAAAA: [A-Za-z0-9%]{60,120}: {base62:80}
wakatime-key: waka_: [0-9a-f-]{32,40}: {hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}
tailscale-key: tskey-auth- tskey-api- tskey-client- tskey-scim- tskey-webhook- tskey-: [A-Za-z0-9-]{16,80}: {base62:12}CNTRL-{base62:32}
akamai-token: akab-: [a-z0-9]{16}-[a-z0-9]{16}: {base36low:16}-{base36low:16}
honeycomb-key: hcaik_ hcbik_ hcamk_ hcxik_: [a-z0-9]{26,80}: {base36low:58}
axiom-token: xaat- xapt-: [0-9a-f-]{36}: {hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}
posthog-key: phx_ phs_: [A-Za-z0-9]{30,60}: {base62:43}
launchdarkly-key: sdk-: [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}: {hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}
sourcegraph-token: sgp_ sgd_ slk_: [0-9a-zA-Z_]{32,140}: {hex:40}
prefect-key: pnu_ pnb_ pnaa_: [A-Za-z0-9]{30,44}: {base62:36}
dbt-token: dbtc_ dbtu_ dbts_: [A-Za-z0-9_=-]{30,80}: {url64:40}
wandb-key: wandb_v1_: [A-Za-z0-9_]{38,120}: {base62:60}
resend-key: re_: [A-Za-z0-9]{8,10}_[A-Za-z0-9]{20,30}: {base62:8}_{base62:24}
workos-key: secret-live- secret-test-: [A-Za-z0-9_=-]{30,60}: {url64:36}
neon-key: napi_: [a-z0-9]{40,80}: {base36low:64}
aiven-password: AVNS_ avns_: [A-Za-z0-9_-]{14,40}: {url64:19}
onepassword-token: ops_eyJ: [A-Za-z0-9+/=_-]{100,1400}: {base62:300}
onepassword-key: A3-: [A-Z0-9]{6}-(?:[A-Z0-9]{5,6}-){3,4}[A-Z0-9]{5}: {base36up:6}-{base36up:6}-{base36up:5}-{base36up:5}-{base36up:5}-{base36up:5}
nostr-key: nsec1: [a-z0-9]{58}: {bech32low:58}
minisign-key: RWRTY0Iy: [A-Za-z0-9+/]{40,260}={0,2}: {base64:204}
nats-seed: SUA SAA SOA SNA SCA: [A-Z2-7]{55}(?![A-Z0-9]): {base32:55}
ntfy-token: tk_: [a-z0-9]{29}(?![a-z0-9]): {base36low:29}
password-hash: $P$B $H$9: [./0-9A-Za-z]{20,30}: {base62:30}
teams-webhook: IncomingWebhook/: [0-9a-f]{32}: {hex:32}
bitcoin-key: xprv yprv zprv: [1-9A-HJ-NP-Za-km-z]{100,112}: {base58:107}
adobe-token: p8e-: [A-Za-z0-9]{32}: {base62:32}
yandex-key: AQVN y0_ t1.9e: [A-Za-z0-9_-]{34,250}: {url64:38}
lob-key: live_ test_: [0-9a-f]{35}(?![A-Za-z0-9]): {hex:35}
easypost-key: EZAK EZTK: [A-Za-z0-9]{54}: {base62:54}
shippo-token: shippo_live_ shippo_test_: [0-9a-f]{40}: {hex:40}
duffel-token: duffel_live_ duffel_test_: [A-Za-z0-9_-]{38,50}: {url64:43}
frameio-token: fio-u-: [A-Za-z0-9_=-]{60,70}: {url64:64}
readme-key: rdme_: [a-z0-9]{60,80}: {base36low:70}
packagist-token: packagist_out_ packagist_ack_ packagist_uut_: [0-9a-f]{60,90}: {hex:68}
deno-token: ddp_ ddo_ ddw_: [A-Za-z0-9]{34,40}: {base62:36}
dynatrace-token: dt0c01. dt0s01. dt0s16.: [A-Z2-7]{24}\\.[A-Z2-7]{64}: {base32:24}.{base32:64}
octopus-key: API-: [A-Z0-9]{24,40}(?![A-Za-z0-9]): {base36up:30}
harness-token: pat. sat.: [A-Za-z0-9_-]{20,24}\\.[0-9a-f]{24}\\.[A-Za-z0-9]{18,24}: {url64:22}.{hex:24}.{base62:20}
alchemy-token: alcht_: [A-Za-z0-9]{28,36}: {base62:30}
typeform-token: tfp_: [A-Za-z0-9_=.-]{40,70}: {url64:44}
defined-token: dnkey- st. infisical_st_: [A-Za-z0-9_=.-]{50,120}: {base62:24}.{base62:40}
asana-token: 1/1 2/1: [0-9]{10,18}(?:/[0-9]{10,18})?[:/][0-9a-f]{32}: {digits:15}:{hex:32}
clickup-token: pk_: [0-9]{6,10}_[A-Z0-9]{32}: {digits:8}_{base36up:32}
inngest-key: signkey-prod- signkey-test- signkey-branch-: [0-9a-f]{40,64}: {hex:64}
trigger-key: tr_dev_ tr_prod_ tr_stg_ tr_pat_: [A-Za-z0-9]{16,44}: {base62:24}
zoho-token: 1000.: [0-9a-f]{32}\\.[0-9a-f]{32}: {hex:32}.{hex:32}
password-hash: $2a$ $2b$ $2y$: [0-9]{2}\\$[A-Za-z0-9./]{53}: 12${base62:53}
password-hash: $1$ $5$ $6$ $8$ $9$ $14$ $y$ $7$ $gy$ $apr1$ $sha1$ $md5$: [A-Za-z0-9./=,$+-]{22,200}: {base62:16}${base62:86}
password-hash: $argon2id$ $argon2i$ $argon2d$ $scrypt$ $pbkdf2 pbkdf2_sha256$ pbkdf2_sha1$ pbkdf2:sha256: pbkdf2:sha512: scrypt:32768:8:1$ bcrypt_sha256$ argon2$: [A-Za-z0-9./=,$+:-]{30,300}: {base62:16}${base62:86}
password-hash: grub.pbkdf2.sha512.: [0-9]{4,7}\\.[0-9A-F]{32,140}\\.[0-9A-F]{32,140}: 10000.{hexup:128}.{hexup:128}
password-hash: $krb5tgs$ $krb5asrep$ $krb5pa$ $DCC2$: [0-9]{1,5}[$#][^\\s:]{0,200}[$#:@][0-9a-fA-F$]{30,4000}: 23$*a$CORP.LAN$corp.lan/a*${hex:32}${hex:200}
password-hash: {SSHA} {SHA} {SMD5} {CRYPT} {SSHA256} {SSHA512} {SHA512} {MD5} {PBKDF2} {ARGON2}: [A-Za-z0-9./=,$+]{20,200}: {base64:40}
password-hash: SCRAM-SHA-256$ SCRAM-SHA-512$: [0-9]{2,7}:[A-Za-z0-9+/=]{8,60}\\$[A-Za-z0-9+/=:]{40,200}: 4096:{base64:24}${base64:44}:{base64:44}
"""


def _rows() -> Iterator[Rule]:
    for line in _TABLE.strip().replace("\\\\", "\\").splitlines():
        head, _, example = line.rpartition(": ")
        head, _, tail = head.rpartition(": ")
        id_, _, prefixes = head.partition(": ")
        anchors = tuple(prefixes.split())
        yield Rule(
            id=id_,
            kind=id_,
            anchors=anchors,
            pattern=f"(?:{'|'.join(map(re.escape, anchors))}){tail}",
            accept=is_drawn,
            good=(anchors[0] + example,),
            bad=(f"{anchors[0]}{'x' * 40}",),
        )


def _jwt(value: str) -> bool:
    """All but the example that every documentation shows."""
    body = value.split(".")[1] if "." in value else ""
    try:
        plain = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
    except (binascii.Error, ValueError):
        return True
    return not (b"1234567890" in plain and b"John Doe" in plain)


_PUBLIC_ID = lazy(r"(?:^|_)(?:msg|toolu|call|req|resp|run|evt|pk|pub|public|client_id|id)_")


def _generic(value: str) -> bool:
    body = _PREFIX.sub("", value)
    if _PUBLIC_ID.search(value) or TOOL_ID.fullmatch(value):
        return False
    return (
        len(body) >= 16
        and not re.fullmatch(r"[0-9a-f]{17}", body)
        and likelihood(body) < -5.2
        and any(map(str.isdigit, body))
        and is_drawn(value)
    )


_LAST = r"(?![A-Za-z0-9_])"
# The ones without a prefix of at least three fixed characters, at any boundary of a long word.
_FORMS: tuple[Rule, ...] = (
    Rule(
        id="jwt",
        kind="jwt",
        anchors=("eyJ",),
        accept=_jwt,
        pattern=r"eyJ[A-Za-z0-9_=-]{8,1024}(?:\.eyJ[A-Za-z0-9_=-]{8,8192}+(?:\.[A-Za-z0-9_-]{0,1024}+){0,3}|\.[\w-]{0,600}\.[\w-]{10,100}\.[\w-]{10,8192}\.[\w-]{10,60})",
        good=("eyJ{base62:33}.eyJ{url64:80}.{url64:43}",),
    ),
    Rule(
        id="twilio-key",
        kind="twilio-key",
        anchors=tuple(f"SK{c}" for c in "0123456789abcdef"),
        accept=is_drawn,
        pattern=r"SK[0-9a-f]{32}" + _LAST,
        good=("SK{hex:32}",),
    ),
)
# Each alternative is tried at every boundary of a long word, so they are few.
_ANYWHERE: tuple[tuple[str, str, str], ...] = (
    ("telegram-token", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,34}" + _LAST, "{digits:10}:AA{url64:33}"),
    (
        "discord-token",
        r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}" + _LAST,
        "M{base62:25}.{url64:6}.{url64:38}",
    ),
    ("mailchimp-key", r"[0-9a-f]{32}-us[0-9]{1,2}" + _LAST, "{hex:32}-us12"),
    ("terraform-token", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}", "{base62:14}.atlasv1.{url64:67}"),
    ("azure-secret", r"[A-Za-z0-9~._-]{3}8Q~[A-Za-z0-9~._-]{31,36}", "a1x8Q~{base62:34}"),
    (
        "deepl-key",
        r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:fx",
        "{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}:fx",
    ),
    (
        "app-password",
        r"[a-z]{4}-[a-z]{4}-[a-z]{4}-[a-z]{4}(?![\w-])",
        "{lowrare:4}-{lowrare:4}-{lowrare:4}-{lowrare:4}",
    ),
    ("aspnet-cookie", r"CfDJ8[A-Za-z0-9_-]{40,4000}", "CfDJ8{url64:80}"),
    ("ntlm-hash", r"[0-9a-f]{32}:[0-9a-f]{32}(?=:::)", "{hex:32}:{hex:32}:::"),
    ("password-hash", r"md5[0-9a-f]{32}(?![0-9A-Za-z])", "md5{hex:32}"),
    ("azure-devops-token", r"[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}" + _LAST, "{base62:52}JQQJ99{base62:26}"),
    (
        "azure-key",
        r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/]{33,76}(?:\+ASt|\+AMC|ACDb|AIoT|AzSe|AzFu|APIM|ACRD|AzEH|AzCa)[A-Za-z0-9+/]{5,8}={0,2}(?![A-Za-z0-9+/])",
        "{base62:72}ACDb{base62:6}==",
    ),
    (
        "recovery-key",
        r"[0-9]{6}(?:-[0-9]{6}){7}(?![0-9-])",
        "{digits:6}-{digits:6}-{digits:6}-{digits:6}-{digits:6}-{digits:6}-{digits:6}-{digits:6}",
    ),
    (
        "pkcs12",
        r"MII[A-Za-z0-9+/]{2}[AQgw]IBAzC[A-D][A-Za-z0-9+/]{40,20000}={0,2}",
        "MIIKEQIBAzCC{base62:80}",
    ),
    (
        "pgp-block",
        r"l(?:Q[A-Za-z0-9+/]{2}B|[A-Za-z0-9+/]gE)[EFGHZa-n][A-Za-z0-9+/]{54,70}={0,2}(?![A-Za-z0-9+/=])",
        "lQOYBG{base62:58}",
    ),
    (
        "ntlmv2-hash",
        r"[0-9A-Fa-f]{16}:[0-9A-Fa-f]{32}:0101000000000000[0-9A-Fa-f]{16,2000}",
        "{hex:16}:{hex:32}:0101000000000000{hex:60}",
    ),
    ("sanctum-token", r"\d{1,7}\|[A-Za-z0-9]{40,48}" + _LAST, "39|{base62:48}"),
    ("newrelic-key", r"(?:[a-z]{2}01xx)?[0-9a-f]{28,36}NRAL" + _LAST, "{hex:36}NRAL"),
    ("bitcoin-key", r"[5KL][1-9A-HJ-NP-Za-km-z]{50,51}" + _LAST, "{wif:52}"),
    ("firebase-key", r"AAAA[A-Za-z0-9_-]{7}:APA91[A-Za-z0-9_-]{130,140}", "AAAA{base62:7}:APA91{url64:134}"),
    ("okta-token", r"00(?!\d{0,6}-[0-9a-f]{8}-[0-9a-f]{4}-)[A-Za-z0-9_-]{40}" + _LAST, "00{url64:40}"),
    ("vault-token", r"s\.[A-Za-z0-9]{24}(?![A-Za-z0-9.(/_])", "s.{base62:24}"),
    (
        "generic-token",
        r"(?:[a-z][a-z0-9]{0,11}[_-]){0,3}(?:sk|pat|key|tok|token|secret|api|apikey|live|prod|auth|rt|oat|ak|access|refresh|bearer|priv|private|admin|svc|pk_live_sk|ghs|sess|session|deploy|agent|runner|sec|pw|pass|usr|st|s)[_-](?:v?[0-9][_-]|[a-z]{2,8}[_-]){0,2}[A-Za-z0-9]{16,120}+[A-Za-z0-9_=-]{0,80}+(?!\.[a-z]{1,5}\b)",
        "acme_live_{base62:32}",
    ),
)
_AWS_SECRET = Rule(
    # It has no prefix: 40 characters in the neighbourhood of the key's id.
    id="aws-secret",
    kind="aws-secret",
    anchors=("AKIA", "ASIA"),
    accept=is_drawn,
    pattern=r"A[KS]IA[A-Z2-7]{16}(?![A-Za-z0-9])[^\0]{1,160}?(?<![A-Za-z0-9/+=_-])"
    r"(?P<v>(?=[A-Za-z0-9/+]{0,39}[A-Z])(?=[A-Za-z0-9/+]{0,39}[g-z])[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=_-])",
    good=("AKIA{base32:16},{base62:40}",),
    bad=("AKIA0000000000000000 is the id, 2d1e5a3c9b8f7a6d5c4b3a2f1e0d9c8b7a6f5e4d the commit",),
)
TOKENS: tuple[Rule, ...] = (*_rows(), *_FORMS, _AWS_SECRET)
_ACCEPT = {
    "generic-token": _generic,
    "bitcoin-key": has_checksum,
    "ntlmv2-hash": lambda value: True,
    "app-password": lambda value: likelihood(value.replace("-", "")) < -4.4,
}
ANYWHERE: tuple[Rule, ...] = tuple(
    Rule(id=id_, kind=id_, anchors=(), pattern=pattern, accept=_ACCEPT.get(id_, is_drawn), good=(good,))
    for id_, pattern, good in _ANYWHERE
)
_HEAD = lazy(r"[^A-Za-z0-9](?=(...))")
_ESCAPED_HEAD = lazy(r"%[0-9A-Fa-f]{2}(?=(...))")
_HEADS: dict[str, list[tuple[str, Rule]]] = {}
for _one in TOKENS:
    for _anchor in _one.anchors:
        _HEADS.setdefault(_anchor[:3], []).append((_anchor, _one))


def tokens(page: Page) -> Iterator[Span]:
    """The secrets of the page that are known by their form."""
    if not page.telling:
        return
    words = "\n".join(page.telling)
    for head in sorted(_heads(words)):
        for anchor, rule in _HEADS[head]:
            if anchor in words:
                yield from rule.spans(anchor, page)
    for match in _anywhere().finditer(words):
        page.tick()
        rule = ANYWHERE[int((match.lastgroup or "_0")[1:])]
        if rule.accept(match[0]):
            yield from _everywhere(page, match[0], rule)


def _heads(words: str) -> set[str]:
    """The first three characters of the tokens that may be among the words."""
    heads = set(_HEAD.findall(f"\n{words}"))
    if "%" in words:
        heads.update(_ESCAPED_HEAD.findall(words))
    return heads & _HEADS.keys()


@tells
def _tokens_at(words: str) -> Iterator[int]:
    for head in _heads(words):
        for anchor, rule in _HEADS[head]:
            # the secret that stands beside such a key's id may be another word
            yield from _places(words, anchor) if rule is _AWS_SECRET else rule.places(anchor, words)
    for start, end in _hinted(words):
        for match in _anywhere().finditer(words, start, end):
            if ANYWHERE[int((match.lastgroup or "_0")[1:])].accept(match[0]):
                yield match.start()


# What every match of ANYWHERE has in it: begins with a sign, so it is soon found.
_HINTS = lazy(
    r":(?:0101000000|AA|fx|::|APA91)|\.(?:[A-Za-z0-9_-]{6}\.|atlasv1\.|[A-Za-z0-9]{24})|-(?:us[0-9]|[a-z]{4}-[a-z]{4}(?![\w-]))|[_-][A-Za-z0-9]{16}|~(?<=8Q~)|\|[A-Za-z0-9]{40}"
)
_LETTERED_HINTS = lazy(
    r"CfDJ8|NRAL|md5[0-9a-f]{32}|-[0-9]{6}-|IBAzC|l(?:Q..B|.gE)[EFGHZa-n][A-Za-z0-9+/]{54}|JQQJ99|AzSe|AzFu|AzEH|AzCa|ACDb|ACRD|AIoT|APIM|\+A(?:St|MC)|[5KL](?<![A-Za-z0-9].)[1-9A-HJ-NP-Za-km-z]{50}|00(?<![A-Za-z0-9]..)[A-Za-z0-9_-]{40}"
)


def _hinted(words: str) -> Iterator[tuple[int, int]]:
    """The lines in which one of ANYWHERE may be."""
    for hints in (_HINTS, _LETTERED_HINTS):
        stop = 0
        for hint in hints.finditer(words):
            if hint.start() >= stop:
                stop = words.find("\n", hint.start())
                stop = stop if stop >= 0 else len(words)
                yield words.rfind("\n", 0, hint.start()) + 1, stop


def _everywhere(page: Page, value: str, rule: Rule) -> Iterator[Span]:
    for at in _places(page.text, value):
        yield Span(at, at + len(value), rule.id, rule.kind)


def _places(text: str, value: str) -> Iterator[int]:
    at = text.find(value)
    while at >= 0:
        yield at
        at = text.find(value, at + len(value))


@cache
def _anywhere() -> re.Pattern[str]:
    return re.compile(
        "(?<![A-Za-z0-9])(?:" + "|".join(f"(?P<_{n}>{rule.pattern})" for n, rule in enumerate(ANYWHERE)) + ")"
    )


TOKENS_READER = Reader(id="token", kind="token", find=tokens, anchors=lambda: Anchors(shapes=True))
