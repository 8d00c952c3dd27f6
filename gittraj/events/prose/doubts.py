"""Doubts in an agent's prose: what it could not verify, left out, expects to break, or warns about.

A sentence counts by what it says, or by the heading or label above. What was a problem and is mended, advice,
questions and plans do not count.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass

from gittraj.events.prose.markdown import Sentence, read_sentences


@dataclass(frozen=True, slots=True)
class Doubt:
    """``quote``: the sentence word for word."""

    quote: str


_N = r"(?:not|never|n't|no longer|hardly)"
_CERTAIN = re.compile(
    r"""
    # not done, not tried
    \bun(?:tested|verified|checked|linted|reviewed|finished|implemented|handled|documented)\b
    | \b(?:is|are|was|were|been|be|has|have|had|did|does|do|could|can|would)\s?(?:not|never|n't)\s
      (?:yet\s|been\s|be\s|fully\s|currently\s|properly\s)*
      (?:test|verif|cover|check|exercis|document|support|implement|run\b|ran\b|reproduc|validat|confirm|
        migrat|
      translat|clean|enforc|sign|wire|interrupt|encrypt|part\sof|audit|benchmark|measur|profil|touch|
        port|recogni|
      being\s)\w*
    | \bnot\s(?:yet\s)?(?:tested|verified|covered|checked|documented|handled|supported|implemented|
      added|run|
      exercised|signed|migrated|wired|validated|measured|enforced|available|included)\b
    | \b(?:never|not)\sbeen\s(?:tested|run|tried|verified|exercised)\b
    | \b(?:which|and|but)\sI\s(?:did\snot|didn't|have\snot|haven't)\b
    | \bhas\sno\s(?:direct\s)?(?:unit\s|integration\s)?tests?\b | \bno\stests?\s(?:for|yet)\b
    | \bpartially\s(?:complete|implemented|working|done)\b | \bskip(?:ped|s|ping)?\sthe\s(?:pre-?commit|
      tests?|hooks?)\b
    | \bout\sof\sscope\b | \bleft\s(?:as\s(?:is|it\sis)|untouched|unchanged)\b
    # could not
    | \b(?:could|can|was|were|am)\s?(?:not|n't|unable\sto|not\sable\sto)\s(?:\w+ly\s)?
      (?:access|run|reach|read|verify|test|find|reproduce|confirm|check|determine|install|connect|build|
        execute|see|tell)\b
    | \b(?:was|am|were)\sunable\sto\b | \bfailed\sto\s(?:reproduce|verify|run|connect|install|build)\b
    | \bhad\sno\s(?:permission|access|way)\b
    | \bno\s(?:[\w-]+\s){1,3}(?:available|here|installed)\b | \b(?:is|are)\sunavailable\b
    # not sure
    | \bI(?:'m|\sam)\s(?:really\s)?(?:not\s(?:(?:\d+%|entirely|fully|quite|completely)\s)?(?:sure|
      certain|confident|aware)|
      unsure|uncertain|stuck|guessing)\b | \bnot\s\d+%\s(?:sure|certain)\b
    | \bI(?:'ll|\swill|'m|\sam|'ve|\shave)?\s?assum(?:e|ed|ing)\b | \bassum(?:es|ing)\s(?:that|
      at\sleast|a)\b
    | \bappears?\sto\sbe\sa\s(?:limitation|bug|race)\b
    # fails, stays, is temporary
    | \bstill\s(?:\w+\s)?(?:fail|need|miss|broken|open|use|uses|has\sthe|have\sthe|reject|format|
      in\splace|waiting|a\sproblem)\w*
    | \b(?:fail|fails|failed|failing)\b.{0,80}\b(?:before\smy|even\swithout|without\smy|clean\scheckout|
      pre-?existing|unrelated)\b
    | \bpre-?existing\b.{0,40}(?:fail|error|issue)
    | \b(?:temporary|temp)\s(?:work-?around|fix|solution|hack|measure|stop-?gap)\b
    | \btemporarily\s(?:disabl|skipp|pinn|comment|turn)\w+ | \bstop-?gap\b | \bstubbed\b |
      \bfor\snow\b | \bband-?aid\b
    | \bremaining\s(?:untracked|uncommitted|failing|open)\b
    # does not work, will break
    | \b(?:may|might|could|can|would|will)\s
      (?:(?:also|still|then|likely|probably|well|silently|now|occasionally|no\slonger|not)\s)*
      (?:break|crash|fail|error|lose|leak|expose|strip|race|diverge|misbehave|accumulate|deadlock|hang|
        drift|flake|
      run\sout|lead\sto|go\s(?:empty|stale|out\sof)|look\sbroken|time\sout|require\sinteractive|
      be\s(?:exposed|lost|missed|unexpected|slow|stale|dropped|overwritten|wrong|prompting|served))\b
    | \b(?:does|do|will|wo|is|are)\s?(?:not|n't)\s(?:yet\s|currently\s|always\s|also\s)*
      (?:work|help|inherit|protect|survive|scale|persist|block|secure|safe|ideal|a\sperfect)\w*
    | \b(?:is|are|was|were)\s(?:now\s)?(?:gone|lost|ignored|incomplete|experimental|suppressed|disabled|
      skipped|inconsistent|
      unsupported|orphaned|best-?effort|a\slimitation|flaky|in\splace\sand\sunused)\b
    | \b(?:incomplete|silently|only\slogs|fails?\sopen)\b | \bfalls\sback\b.*\bdon't\slike\b
    | \b(?:\d+\s?%|much|somewhat|a\sbit)\s(?:slower|larger|heavier|bigger)\b | \bhave\sto\sbe\skept\b
    | \bneeds?\s(?:a\s)?(?:backfill|follow-?up|manual|proper\sfix|real\sfix|to\sbe\skept)\b
    | \b(?:security|privacy)\s(?:risk|hole|trade-?off)s?\b
    | \b(?:known|current)\slimitation | \bthat's\sa\slimitation\b | \bonly\s(?:works|prints|
      the\sfirst\sone)\b
    | \b(?:please|worth)\s(?:double-?check|verify)\w*
    """,
    re.I | re.X,
)
"""What says by itself that something is uncertain, undone or at risk."""
_IN_CODE = re.compile(
    r"--no-verify|ts-expect-error|ts-ignore|skipLibCheck|eslint-disable|# ?noqa|type: ignore"
)
_MARK = re.compile(
    r"^(?:\W*(?:note|please note|heads[- ]up|caveats?|warning|caution|limitations?|one caveat|"
    r"known (?:issue|limitation)s?|"
    r"todo|fixme|unfortunately|risk|open question|not done|missing|beware|remaining|gap|"
    r"critical(?: issue)?(?: found)?)\b(?=[:,* ])"
    r"|\W*(?:unfortunately|please note|heads[- ]up|one caveat)\b)",
    re.I,
)
_WARNED = re.compile("⚠|❗|🚨|🔴")
_HEADING = re.compile(
    r"\b(?:caveats?|limitations?|known (?:issues?|problems?|gaps?)|not (?:done|covered|included|"
    r"tested|implemented|yet)|"
    r"remaining(?: work| issues?| items?)?|open (?:questions?|issues?|points?|items?)|"
    r"follow-?ups?|to-?dos?|risks?|warnings?|gaps?|"
    r"left (?:out|open|to do|undone)|what (?:is|was|'s)? ?(?:missing|left|not)|missing|unverified|untested|"
    r"shortcomings?|still (?:open|to do|missing)|out of scope|deferred|trade-?offs? accepted|"
    r"security (?:notes?|risks?|"
    r"considerations?)|edge cases? not|incomplete|problems?(?: remaining)?|critical gaps?)\b",
    re.I,
)
_NOT_HEADING = re.compile(
    r"\b(?:added|written|section|accurately|describes?|updated?|reflects?|includes?|clear that|"
    r"handled|fixed|solved|resolved|addressed|mitigat\w+|option|approach \d|was the|fix|"
    r"structure|delivered|"
    r"contents?|next steps?)\b|^(?:the |what (?:is|was) the )?(?:root )?(?:problem|issue)s?$|"
    r"^why|what happens",
    re.I,
)
_OFFER = re.compile(r"\b(?:options?|approach|alternative|proposal|suggestions?|recommend\w*)\b", re.I)
_MENDED = re.compile(
    r"\b(?:fixed|fixes|now (?:works?|handles?|passes)|resolved|solved|addressed|no longer "
    r"(?:fails?|a problem)|"
    r"prevents?|avoids?|handled (?:correctly|properly|gracefully)|so that|ensures|to (?:avoid|"
    r"prevent)|as requested)\b",
    re.I,
)
_PLAN = re.compile(
    r"^(?:let me|let's|now|next|then|i need to|i'll|i will|i should|we need to|we should|to "
    r"(?:fix|test|use|verify|make)|"
    r"you (?:can|could|should|need|may want)|if you(?!.*accident)|try|make sure|ensure|run|"
    r"check|add|use|set|consider|create|"
    r"update|install|remember|don't forget|extract|document|would you|do you|should i|want me|shall)\b",
    re.I,
)
_DESCRIBES = re.compile(
    r"^(?:the (?:issue|error|problem|output|log|test|message) (?:is|was|says|shows|indicates|"
    r"means)|this (?:means|is why)|"
    r"(?:but )?\x00\d+\x00 (?:does|do|is|returns)|it also|so over time|where \x00)| → |\bAND$",
    re.I,
)
"""What explains how something works, or what the task is."""
_UNSURE = re.compile(r"\bI(?:'m| am) not (?:sure|certain)|\bI (?:cannot|could ?n[o']t|can't)\b", re.I)
_NOTED = re.compile(
    r"\b(?:only|no|not|without|however|but|still|yet|existed|until|requires?|needs?|must|unless|"
    r"old|limited|manual\w*|n't|"
    r"cannot|missing|lacks?|major|breaking|all origins)\b",
    re.I,
)
"""What a note has to say to be a doubt, and not only a remark."""


def find_doubts(
    messages: Iterable[str], *, without: Container[str] = (), most: int = 12
) -> tuple[Doubt, ...]:
    """At most ``most``, in order, each sentence once. ``without``: sentences that state choices."""
    found: dict[str, Doubt] = {}
    for message in messages:
        for sentence in read_sentences(message):
            if sentence.quote not in without and _is_doubt(sentence):
                found.setdefault(sentence.quote, Doubt(sentence.quote))
    return tuple(found.values())[:most]


def _is_doubt(sentence: Sentence) -> bool:
    text = re.sub(r"^THOUGHT:\s*", "", sentence.text)
    if (
        sentence.kind == "heading"
        or sentence.spoken
        or len(text) < 12
        or text.endswith("?")
        or _in_quotes(text)
    ):
        return False
    if _IN_CODE.search(sentence.quote) and not _PLAN.match(text):
        return True
    if text.endswith(":"):
        return _UNSURE.search(text) is not None
    if _MARK.match(text) and (_NOTED.search(text) or _CERTAIN.search(text)):
        return not _MENDED.search(text)
    if _WARNED.search(sentence.quote[:4]):
        return True
    if _DESCRIBES.search(text) or _MENDED.search(text):
        return False
    return not _PLAN.match(text) and (_listed(sentence) or _CERTAIN.search(text) is not None)


def _listed(sentence: Sentence) -> bool:
    """An item of a list of doubts."""
    head = sentence.lead or sentence.section
    if sentence.kind != "item" or _HEADING.search(head) is None or _OFFER.search(sentence.section):
        return False
    return _NOT_HEADING.search(head) is None


def _in_quotes(text: str) -> bool:
    return re.fullmatch(r"\W*[\"“].*[\"”]\W*", text) is not None
