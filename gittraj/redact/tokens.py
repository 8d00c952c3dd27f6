"""Secrets that are known by their form alone, wherever they stand. The forms are the vendors' own.

Lengths are lenient: what has the vendor's prefix and random characters is better removed than kept.
Inspired by gitleaks, betterleaks (MIT) and kingfisher (Apache-2.0); no rule of theirs is copied.
"""

from __future__ import annotations

import re

from .randomness import likelihood
from .rules import Rule
from .values import is_placeholder

_LONGEST_PREFIX = re.compile(r"^[A-Za-z]{1,12}[-_.](?:[a-z]{1,12}[0-9]{0,2}[-_])?")


def _drawn(value: str) -> bool:
    """Whether the part after the prefix was drawn at random, not written: ``sk-your-api-key-goes-here``."""
    body = _LONGEST_PREFIX.sub("", value[:120])
    if is_placeholder(value) or is_placeholder(body) or len(set(body)) < 7:
        return False
    score = likelihood(body)  # 0: too few letters to tell
    return score < -4.4 or (score == 0 and any(map(str.isdigit, body)))


def _rule(id_: str, prefixes: str, tail: str, *good: str, bad: tuple[str, ...] = ()) -> Rule:
    anchors = tuple(prefixes.split())
    heads = "|".join(map(re.escape, anchors))
    return Rule(
        id=id_,
        kind=id_,
        anchors=anchors,
        pattern=re.compile(f"(?:{heads}){tail}"),
        accept=_drawn,
        good=good,
        bad=bad,
    )


TOKENS: tuple[Rule, ...] = (
    _rule(
        "aws-key-id",
        "AKIA ASIA ABIA ACCA",
        r"[A-Z2-7]{16}(?![A-Za-z0-9])",
        "AKIA{base32:16}",
        "ASIA{base32:16}",
        bad=("AKIA" + "IOSFODNN7" + "EXAMPLE",),
    ),
    _rule(
        "github-token",
        "ghp_ gho_ ghs_ ghu_ ghr_",
        r"[A-Za-z0-9]{30,255}",
        "ghp_{base62:36}",
        "ghs_{base62:36}",
        bad=("ghp_" + "x" * 36,),
    ),
    _rule("github-token", "github_pat_", r"[A-Za-z0-9_]{36,255}", "github_pat_{base62:22}_{base62:59}"),
    _rule(
        "gitlab-token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas-",
        r"[A-Za-z0-9_.-]{20,128}",
        "glpat-{url64:20}",
        "glrt-{url64:20}",
    ),
    _rule(
        "slack-token",
        "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxc- xoxd- xoxe.xoxp- xapp-",
        r"[A-Za-z0-9%-]{16,255}",
        "xoxb-{digits:12}-{digits:13}-{base62:24}",
        "xapp-1-A{base36up:10}-{digits:13}-{hex:64}",
        bad=("xoxb-your-slack-token-here",),
    ),
    _rule(
        "slack-webhook",
        "hooks.slack.com/services/ hooks.slack.com/workflows/",
        r"[A-Za-z0-9/_-]{20,160}",
        "https://hooks.slack.com/services/T{base36up:8}/B{base36up:8}/{base62:24}",
    ),
    _rule(
        "discord-webhook",
        "discord.com/api/webhooks/ discordapp.com/api/webhooks/",
        r"[0-9]{15,20}/[\w-]{40,100}",
        "https://discord.com/api/webhooks/{digits:18}/{url64:68}",
    ),
    _rule(
        "stripe-key",
        "sk_live_ rk_live_ sk_test_ rk_test_ sk_org_ whsec_",
        r"[A-Za-z0-9+/=]{16,255}",
        "sk_live_{base62:24}",
        "rk_live_{base62:99}",
        "sk_test_{base62:24}",
        "whsec_{base62:32}",
        bad=("sk_live_" + "x" * 24,),
    ),
    _rule(
        "anthropic-key",
        "sk-ant-",
        r"[A-Za-z0-9_-]{20,200}",
        "sk-ant-api03-{url64:93}AA",
        "sk-ant-oat01-{url64:93}AA",
        bad=("sk-ant-api03-your-key-goes-here-please", "sk-ant-" + "x" * 24),
    ),
    _rule(
        "openai-key",
        "sk-proj- sk-svcacct- sk-admin- sk-None- sk-or-v1- sk-lf-",
        r"[A-Za-z0-9_-]{20,255}",
        "sk-proj-{url64:64}",
        "sk-or-v1-{hex:64}",
        bad=("sk-proj-your-openai-project-key",),
    ),
    _rule(
        "openai-key",
        "sk-",
        r"[A-Za-z0-9]{20,128}(?![A-Za-z0-9])",
        "sk-{base62:20}T3BlbkFJ{base62:20}",
        "sk-{hex:32}",
    ),
    _rule("google-key", "AIza", r"[A-Za-z0-9_-]{35}", "AIza{url64:35}"),
    _rule("google-secret", "GOCSPX-", r"[A-Za-z0-9_-]{20,60}", "GOCSPX-{url64:28}"),
    _rule("google-token", "ya29. 1//0", r"[A-Za-z0-9_-]{30,1024}", "ya29.{url64:120}", "1//0{url64:60}"),
    _rule(
        "npm-token",
        "npm_",
        r"[A-Za-z0-9]{36}(?![A-Za-z0-9])",
        "npm_{base62:36}",
        bad=("npm_config_registry_of_the_workspace_here",),
    ),
    _rule("pypi-token", "pypi-", r"[A-Za-z0-9_-]{50,1000}", "pypi-AgEIcHlwaS5vcmc{url64:120}"),
    _rule("docker-token", "dckr_pat_ dckr_oat_", r"[A-Za-z0-9_-]{20,64}", "dckr_pat_{url64:27}"),
    _rule("huggingface-token", "hf_ api_org_", r"[A-Za-z]{30,40}(?![A-Za-z0-9_])", "hf_{alpha:34}"),
    _rule("sendgrid-key", "SG.", r"[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}", "SG.{url64:22}.{url64:43}"),
    _rule("twilio-key", "SK", r"[0-9a-f]{32}(?![0-9A-Za-z])", "SK{hex:32}"),
    _rule("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{40,64}", "dop_v1_{hex:64}"),
    _rule(
        "jwt",
        "eyJ",
        r"[A-Za-z0-9_-]{12,1024}\.eyJ[A-Za-z0-9_-]{8,8192}+(?:\.[A-Za-z0-9_-]{0,1024}+)?",
        "eyJ{base62:33}.eyJ{url64:80}.{url64:43}",
    ),
    _rule("age-key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{40,70}", "AGE-SECRET-KEY-1{bech32:58}"),
    _rule("vault-token", "hvs. hvb. hvr.", r"[A-Za-z0-9_-]{20,300}", "hvs.{url64:24}", "hvb.{url64:140}"),
    _rule("linear-key", "lin_api_ lin_oauth_ lin_wh_", r"[A-Za-z0-9]{30,80}", "lin_api_{base62:40}"),
    _rule("databricks-token", "dapi", r"[0-9a-f]{32}(?:-[0-9])?(?![0-9A-Za-z])", "dapi{hex:32}"),
    _rule("shopify-token", "shpat_ shpca_ shppa_ shpss_ shpua_", r"[0-9a-fA-F]{32}", "shpat_{hex:32}"),
    _rule("atlassian-token", "ATATT3 ATCTT3 ATBB", r"[A-Za-z0-9_=-]{28,300}", "ATATT3{url64:180}"),
    _rule("supabase-key", "sb_secret_ sbp_", r"[A-Za-z0-9_-]{20,64}", "sb_secret_{url64:31}", "sbp_{hex:40}"),
    _rule(
        "doppler-token",
        "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.",
        r"[A-Za-z0-9._-]{36,100}",
        "dp.pt.{base62:43}",
    ),
    _rule("cloudflare-key", "v1.0-", r"[0-9a-f]{24}-[0-9a-f]{100,160}", "v1.0-{hex:24}-{hex:146}"),
    _rule(
        "planetscale-token",
        "pscale_tkn_ pscale_oauth_ pscale_pw_",
        r"[A-Za-z0-9_.=-]{30,64}",
        "pscale_tkn_{url64:43}",
    ),
    _rule("grafana-token", "glsa_ glc_", r"[A-Za-z0-9+/=_]{30,400}", "glsa_{base62:32}_{hex:8}"),
    _rule("newrelic-key", "NRAK- NRJS-", r"[A-Za-z0-9]{19,40}", "NRAK-{base36up:27}"),
    _rule("postman-key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}", "PMAK-{hex:24}-{hex:34}"),
    _rule("pulumi-token", "pul-", r"[0-9a-f]{40}", "pul-{hex:40}"),
    _rule("terraform-token", ".atlasv1.", r"[A-Za-z0-9_=-]{60,70}", ".atlasv1.{url64:67}"),
    _rule("mailgun-key", "key-", r"[0-9a-f]{32}(?![0-9A-Za-z])", "key-{hex:32}"),
    _rule("mailchimp-key", "xkeysib-", r"[0-9a-f]{64}-[A-Za-z0-9]{16}", "xkeysib-{hex:64}-{base62:16}"),
    _rule("rubygems-key", "rubygems_", r"[0-9a-f]{48}", "rubygems_{hex:48}"),
    _rule("crates-token", "cio", r"[A-Za-z0-9]{32}(?![A-Za-z0-9])", "cio{base62:32}"),
    _rule("figma-token", "figd_ figu_", r"[A-Za-z0-9_-]{36,80}", "figd_{url64:40}"),
    _rule("notion-token", "secret_ ntn_", r"[A-Za-z0-9]{40,50}(?![A-Za-z0-9_])", "ntn_{base62:46}"),
    _rule(
        "groq-key",
        "gsk_ xai- pplx- nvapi- r8_",
        r"[A-Za-z0-9_-]{36,100}",
        "gsk_{base62:52}",
        "xai-{base62:80}",
    ),
    _rule("langfuse-key", "lsv2_pt_ lsv2_sk_", r"[0-9a-f]{32}_[0-9a-f]{10}", "lsv2_pt_{hex:32}_{hex:10}"),
    _rule(
        "square-token", "EAAA sq0csp- sq0atp-", r"[A-Za-z0-9_-]{22,80}(?![A-Za-z0-9/+])", "sq0csp-{url64:43}"
    ),
    _rule("azure-secret", "8Q~", r"[A-Za-z0-9~._-]{31,34}", "8Q~{base62:34}"),
    _rule("password-hash", "$2a$ $2b$ $2y$", r"[0-9]{2}\$[A-Za-z0-9./]{53}", "$2b$12${base62:53}"),
    _rule(
        "password-hash",
        "$5$ $6$ $y$ $argon2id$ $argon2i$",
        r"[A-Za-z0-9./=,$+-]{40,200}",
        "$6${base62:16}${base62:86}",
    ),
    Rule(
        id="telegram-token",
        kind="telegram-token",
        anchors=(":AA",),
        back=12,
        accept=_drawn,
        pattern=re.compile(r"(?<![A-Za-z0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{32,34}(?![A-Za-z0-9])"),
        good=("{digits:10}:AA{url64:33}",),
        bad=("12:30:AA-shift",),
    ),
    # An access key's secret has no prefix: 40 characters in the neighbourhood of the key's id.
    Rule(
        id="aws-secret",
        kind="aws-secret",
        anchors=("AKIA", "ASIA"),
        accept=_drawn,
        pattern=re.compile(
            r"A[KS]IA[A-Z2-7]{16}(?![A-Za-z0-9])[^\0]{1,160}?(?<![A-Za-z0-9/+=_-])"
            r"(?P<v>(?=[A-Za-z0-9/+]{0,39}[A-Z])(?=[A-Za-z0-9/+]{0,39}[g-z])[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=_-])"
        ),
        good=("AKIA{base32:16},{base62:40}",),
        bad=("AKIA0000000000000000 is the id, 2d1e5a3c9b8f7a6d5c4b3a2f1e0d9c8b7a6f5e4d the commit",),
    ),
)
