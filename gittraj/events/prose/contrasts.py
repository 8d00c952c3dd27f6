"""The forms of a sentence that sets what was ``chosen`` against the ``other``, and says ``why``.

Whether such a sentence is a choice is decided in :mod:`.choices`.
"""

from __future__ import annotations

import re

_CONTRAST = (
    r"in contrast to|instead of|rather than|in place of|as opposed to|in preference to|as against|in lieu of"
)
_MERELY = r"(?:(?:just|only|simply|merely)\s+)?"
_REASON = (
    r"(?:\s*(?:[,;:(–—-]|\.\s)*\s*\b(?:because(?: of)?|since|as|so(?: that)?|due to|to avoid|to keep"
    r"|for)\s(?P<why>.+)|\s*(?:[:;–—]|\s-\s|\()\s*(?P<why2>.+)|,\s(?P<why3>\w+ .{12,}))?$"
)
TOOK = (
    r"used|use|using|chose|choose|chosen|picked|pick|went with|going with|go with|opted for|opt for"
    r"|settled on|decided on|decided to|prefer(?:red)?|kept|keep|keeping|ended up with|selected"
    r"|favou?red|stuck with|adopted"
)
BEGIN = r"^(?:(?:So|Then|Thus|Therefore|Hence|Here|Finally|Also|For now|Now|In the end|Instead),?\s+)*"
_ASIDE = r"(?:(?:for|to|after|in|on) [^,;]{2,50}, )?"

INFIX = re.compile(
    rf"^(?P<chosen>.+?)[,;(]?\s*\(?(?:{_CONTRAST})\s+{_MERELY}(?P<other>.+?)\)?{_REASON}", re.I
)
PREFIX = re.compile(
    rf"^(?:instead of|rather than)\s+{_MERELY}(?P<other>[^,]{{2,160}}),\s+(?P<chosen>.+?)" + _REASON, re.I
)
OVER = re.compile(r"^(?P<chosen>.+?)\s+over\s+(?P<other>.+?)" + _REASON, re.I)
BEATS = re.compile(
    r"^(?P<chosen>.+?)\s+(?:beats|won over|wins over|won out over|was (?:chosen|preferred|picked"
    r"|favou?red) (?:over|to)|is preferred (?:over|to))\s+(?P<other>.+?)(?:\s+here)?" + _REASON,
    re.I,
)
NOT = re.compile(
    r"^(?P<chosen>.+?)(?:,\s+(?:and\s+)?(?:not|(?P<no>no|never))|\s+and (?:did|do|does|have|has) not"
    r"|\s+and\s+not|\s*\((?:and )?not|\s+and no longer"
    r"|(?<!is)(?<!are)(?<!was)(?<!be)(?<!just)\s+not(?=\s+\S+:))\s+(?P<other>.+?)\)?" + _REASON,
    re.I,
)
FROM = re.compile(
    r"\b(?:switched|changed|moved|migrated|went|converted|moving|switching"
    r"|migrating)\b.{0,40}?\bfrom\s+(?P<other>.+?)\s+(?:to|→|->)\s+(?P<chosen>.+?)" + _REASON,
    re.I,
)
ARROW = re.compile(
    r"\bchanged\s+(?P<other>\x00\d+\x00)\s+(?:to|→|->)\s+(?P<chosen>\x00\d+\x00)" + _REASON, re.I
)
NEED = re.compile(
    r"^I need to (?:change|replace)\s+(?P<other>.+?)\s+(?:to|with)\s+(?P<chosen>.+?)[.]?$", re.I
)
REPLACED = re.compile(
    r"^(?:(?:I|we)(?:'ve| have)?\s+)?(?:replaced|swapped(?: out)?)\s+(?P<other>.+?)\s+(?:with|by"
    r"|for)\s+(?P<chosen>.+?)" + _REASON,
    re.I,
)
FAVOUR = re.compile(
    r"^(?P<other>.+?)\s+(?:(?:was|were|is|are)\s+)?(?:dropped|rejected|removed|abandoned|discarded"
    r"|ruled out)\s+in\s+favou?r\s+of\s+(?P<chosen>.+?)" + _REASON,
    re.I,
)
REJECTED = re.compile(
    r"(?:^|[;.,:]\s+|\bI\s+)(?:(?P<other>[^;,.]{2,80}?)\s+(?:(?:was|were)\s+(?:rejected|ruled out"
    r"|dismissed|discarded|turned down|no option|not an option|out of the question|overkill)"
    r"|(?:felt|looked|seemed) like overkill)|(?:I|we)(?:'ve| have)?\s+(?:rejected|ruled out|dismissed"
    r"|avoided|decided against|passed on|stayed away from|steered clear of|resisted(?: the temptation to)?)"
    r"\s+(?P<other2>[^;,.:]{2,100}?))(?:\s+(?:in favou?r of"
    r"|and)\s+(?P<chosen>[^;,.]{2,120}?))?" + _REASON,
    re.I,
)
CONSIDERED = re.compile(
    r"\b(?:considered|looked at|tried|evaluated)\s+(?P<other>[^,;]{2,120}?),?\s+but\s+(?:I\s+"
    r"|we\s+)?(?:chose|went with|used|picked|settled on|kept|stayed with|opted for)\s+(?P<chosen>.+?)"
    + _REASON,
    re.I,
)
VERSUS = re.compile(
    r"^(?P<one>.+?)\s+(?:vs\.?|versus|or)\s+(?P<two>.+?):\s*(?:I\s+|we\s+)?(?:went with|chose|picked"
    r"|took|used|kept)\s+(?P<chosen>[^,;.]+)" + _REASON,
    re.I,
)
GREATER = re.compile(r"^(?P<chosen>[^>]{2,100}?)\s+>\s+(?P<other>[^>:]{2,100}?)" + _REASON)
BETTER = re.compile(
    r"^(?P<chosen>.+?)\s+(?:is|was|seemed|felt)\s+(?:\w+er|better"
    r"|more \w+)\s+than\s+(?P<other>.+?),?\s*(?P<why>[^;]*);\s+I'll do|^It (?:made"
    r"|makes) more sense to (?P<chosen2>.+?) than to (?P<other2>.+?)[.]?$",
    re.I,
)
SEMI = re.compile(
    r"^(?P<chosen>[^;]{3,200});\s+(?P<other>.{2,90}?)\s+(?P<why>(?:would(?: have)?|needed|needs"
    r"|was too|were too|has too|had|ran|took|takes|cannot|can't|could not|couldn't|is not|does not"
    r"|doesn't|did not|didn't|pulled in|breaks?|broke|is too|leaves|loses|lost|costs?|requires)\b.+)$",
    re.I,
)
SAID = re.compile(BEGIN + _ASIDE + rf"(?:(?:(?:I|we)(?:'m|'ve)? )?(?:{TOOK}))|.*\bit is$|.*\bnow\b", re.I)
OPTION = re.compile(
    r"\b(?:let's go with|went (?:with|for)|I(?:'ll| will) go with|chose|picked"
    r"|going with)\s+(?P<chosen>option \w+\b.*)$",
    re.I,
)
PREFERRED = re.compile(
    r"^(?:I|we) prefer(?:red)?\s+(?P<chosen>.+?)\s+to\s+(?P<other>(?!\w+ing\b).+?)" + _REASON, re.I
)
_SUBJECT = (
    r"(?P<other>(?:(?:A|An|One|Another|Both|No)\s(?!of\b|user|client|caller|test|reader|call|request|file\b)[^,;:.]{2,70}?"
    r"|\x00\d+\x00(?: (?:and|or) \x00\d+\x00)?|[A-Z]\w*ing\b(?! of)[^,;:.]{2,80}?"
    r"|(?!It|This|That|They|He|She|We|You|There|I\b|The|If|When|Then|Otherwise|Users?|Tests?|Clients?)"
    r"[A-Z][\w.+-]*(?: (?:and|or) [A-Z][\w.+-]*)?|The alternative(?:,? [^,;.]{2,60})?))"
)
ALTERNATIVE = re.compile(
    rf"^{_SUBJECT},?\s(?P<why>(?:would|could) (?:also |only |just |well )*have \w+.*"
    r"|would (?:also |only |just )*(?:lock|add|make|force|need|require|mean|cost|take|give|bring|leave"
    r"|look|save|shave|pull|tie|double|block|slow|keep|put)\b.*"
    r"|(?:is|are|was|were|looks?|reads?|seems?|has|have)\s[^;.]{2,80}?(?:,\s|;\s|\s[–—-]\s)"
    r"(?:but|yet|and I)\b.*)$"
)
"""A sentence on what was not taken, after the one that says what was."""
WHY_HEADING = re.compile(
    r"^why (?P<chosen>.{2,80}?) (?:over|and not|instead of|rather than) (?P<other>.{2,80}?)\??$", re.I
)
DROPPED = re.compile(
    r"(?:^(?:(?:I|we)(?:'ve| have)?\s+)?(?:dropped|removed|rejected|ditched|abandoned"
    r"|gave up)|\b(?:drops|removes))\s+(?P<other>.+?)\s+in\s+favou?r\s+of\s+(?P<chosen>.+?)" + _REASON,
    re.I,
)
PASSED_BY = re.compile(
    r"\b(?:did not|didn't) (?:use|add|introduce|take) (?P<other>[^;,]{2,100})[;,]\s+"
    r"(?P<chosen>[^;]+?)\s+instead\b" + _REASON,
    re.I,
)
WHY_LABEL = re.compile(
    r"^why (?P<chosen>[^:]{2,80}?) (?:over|and not|instead of|rather than"
    r"|not) (?P<other>[^:]{2,80}?): (?P<why>.+)$",
    re.I,
)
