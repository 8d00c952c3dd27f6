"""The forms of a sentence that sets what was ``chosen`` against the ``other``, and says ``why``.

Whether such a sentence is a choice is decided in :mod:`.choices`.
"""

from __future__ import annotations

import re

from gittraj.events.prose.patterns import load

_CONTRAST = (
    r"in contrast to|instead of|rather than|in place of|as opposed to|in preference to|as against|in lieu of"
)
_MERELY = r"(?:(?:just|only|simply|merely)\s+)?"
FORMS = load("forms")
REASON = (
    rf"(?:\s*(?:[,;:(–—-]|\.\s)*\s*(?:{FORMS['because'].pattern}\s|(?={FORMS['purpose'].pattern}\s))"
    r"(?P<why>(?![^(]*\)(?!\W*$)).+)|\s*(?:[:;]\s|[–—]|\s-\s|\s\((?=[^()]*\s[^()]*\)?$))\s*(?P<why2>.+)"
    r"|,\s(?:(?:so )?(?:I|we)\s.+|(?P<why3>(?!so\b|[^(]*\)(?!\W*$))\w+ .{12,})))?$"
)
TOOK, CHOSE, REFUSED = (f"(?:{FORMS[name].pattern})" for name in ("took", "chose", "refused"))
BEGIN = (
    r"^(?:(?:Note that|So|Then|Thus|Therefore|Hence|Here|Finally|Also|For now|Now|In the end|Instead),?\s+)*"
)
_ASIDE = r"(?:(?:for|to|after|in|on|since|because|as) [^,;]{2,60}(?:, | (?=(?:I|we)\b)))?"

INFIX = re.compile(
    rf"^(?P<chosen>.+?)[,;]?\s*(?P<paren>\()?(?:{_CONTRAST})\s+{_MERELY}(?P<other>.+?)(?(paren)\)?)"
    rf"(?:\s(?P<why4>(?:makes|keeps|lets|gives|saves|means)\s.{{8,}})$|{REASON})",
    re.I,
)
PREFIX = re.compile(
    rf"^(?:{_CONTRAST})\s+{_MERELY}(?P<other>[^,]{{2,160}}?)(?:,\s+|\s+(?=(?:I"
    rf"|we)\s))(?P<chosen>.+?)" + REASON,
    re.I,
)
OVER = re.compile(r"^(?P<chosen>(?:[^(]|\([^)]*\))+?)\s+over\s+(?P<other>.+?)(?:\s+here)?" + REASON, re.I)
BEATS = re.compile(
    r"^(?P<chosen>.+?)\s+(?:beats|won over|wins over|won out over|was (?:chosen|preferred|picked"
    r"|favou?red) (?:over|to))\s+(?P<other>.+?)(?:\s+here)?" + REASON,
    re.I,
)
NOT = re.compile(
    r"^(?P<chosen>.+?)(?:,\s+(?:and\s+)?(?:not|(?P<no>no|never))|\s+and (?:did|do|does|have|has) not"
    r"|\s+and\s+not|\s*(?P<paren>\()(?:and )?not|\s+and no longer"
    r"|(?<!is)(?<!are)(?<!was)(?<!be)(?<!just)\s+not(?=\s+\S+:))\s+(?P<other>.+?)(?(paren)\)?)" + REASON,
    re.I,
)
FROM = re.compile(
    r"(?<!when )(?<!how to )\b(?:switched|changed|moved|migrated|converted|moving|switching"
    r"|migrating)\b.{0,40}?\bfrom\s+(?P<other>.+?)\s+(?:to|→|->)\s+(?P<chosen>.+?)" + REASON,
    re.I,
)
ARROW = re.compile(
    r"\bchanged\s+(?P<other>\x00\d+\x00)\s+(?:to|→|->)\s+(?P<chosen>\x00\d+\x00)" + REASON, re.I
)
NEED = re.compile(
    r"^I need to (?:change|replace)\s+(?P<other>.+?)\s+(?:to|with)\s+(?P<chosen>.+?)[.]?$", re.I
)
REPLACED = re.compile(
    r"(?:^|[;,]\s)(?:(?:I|we)(?:'ve| have)?\s+)?(?:replaced|swapped(?: out)?|replace(?=\s\x00\d+\x00 (?:with"
    r"|by) \x00\d+\x00 (?:for|to|because|since|as|so)\b))\s+(?P<other>.+?)\s+(?:with|by"
    r"|for)\s+(?P<chosen>.+?)" + REASON,
    re.I,
)
PASSIVE = re.compile(
    r"^(?P<other>.+?)(?<! that)(?<! which) (?:(?:was|were|has been|have been)(?: now)?|(?:is |are )?now)"
    r" replaced (?:by|with) (?P<chosen>.+?)" + REASON,
    re.I,
)
ON_PURPOSE = re.compile(
    r"^(?=.*\b(?:deliberately|on purpose|intentionally)\b)(?P<chosen>[^:;]+?)" + REASON, re.I
)
REJECTED = re.compile(
    r"(?:^|[;.,:]\s+|\bI\s+)(?:(?P<other>[^;,.]{2,80}?)\s+(?:(?:was|were)\s+(?:rejected|ruled out|dismissed"
    r"|discarded|turned down|considered and (?:dropped|rejected|discarded)|no option|not an option"
    r"|out of the question|overkill)|(?:felt|looked|seemed) like overkill)|(?:(?:I|we)(?:'ve| have)?\s+|\A)"
    r"(?:rejected|ruled out|dismissed|(?:did not|didn't) (?:choose|pick|go with|opt for)|avoided"
    r"|decided against|passed on|(?:stayed|moved) away from|steered clear of|resisted"
    r"(?: the temptation to)?)\s+(?P<other2>[^;,.:]{2,100}?))(?:\s+(?:in favou?r of"
    r"|and)\s+(?P<chosen>[^;,.]{2,120}?))?" + REASON,
    re.I,
)
CONSIDERED = re.compile(
    r"\b(?:considered|looked at|tried|evaluated)\s+(?P<other>[^,;]{2,120}?)(?:,?\s+but|,(?: and| then)?)\s+"
    rf"(?:(?:I\s+|we\s+)?(?:{TOOK}|stayed with)\s+(?P<chosen>.+?)|{REFUSED})" + REASON,
    re.I,
)
VERSUS = re.compile(
    r"^(?P<one>.+?)\s+(?:(?:vs\.?|versus|or)\s+(?P<two>.+?):\s*(?:I\s+|we\s+)?(?:went with|chose|picked|took"
    r"|used|kept)|(?:vs\.?|versus)\s+(?P<two2>.+?)\s*(?:→|->|=>))\s+(?P<chosen>[^,;.]+)" + REASON,
    re.I,
)
GREATER = re.compile(r"^(?P<chosen>[^>]{2,100}?)\s+>\s+(?P<other>[^>:]{2,100}?)" + REASON)
BETTER = re.compile(
    r"^(?P<chosen>.+?)\s+(?:is|was|seemed|felt)\s+(?:\w+er|better|more \w+)\s+than\s+(?P<other>.+?),?\s*"
    r"(?P<why>[^;]*);\s+I'll do|^It (?:made more sense|makes more sense|(?:was|is) (?:simpler|easier|safer"
    r"|cleaner|cheaper|faster|better|less work)) to (?P<chosen2>.+?) than to (?P<other2>.+?)[.]?$",
    re.I,
)
SEMI = re.compile(
    r"^(?P<chosen>[^;]{3,200});\s+(?P<other>.{2,90}?)\s+(?P<why>(?:would(?: have)?|needed|needs|meant|means|"
    r"(?:was|were) (?:too|un\w+)|has too|had|ran|took|takes|cannot|can't|could not|couldn't|is not|(?:is"
    r"|are) no longer|does not|doesn't|did not|didn't|pulled in|breaks?|broke|is too|leaves|loses|lost"
    r"|costs?|requires)\b.+)$",
    re.I,
)
SAID = re.compile(BEGIN + _ASIDE + rf"(?:(?:(?:I|we)(?:'m|'ve)? )?(?:{TOOK}))|.*\bit is$|.*\bnow\b", re.I)
PREFERRED = re.compile(
    r"^(?:I|we) prefer(?:red)?\s+(?P<chosen>.+?)\s+to\s+(?P<other>(?!\w+ing\b).+?)" + REASON, re.I
)
DROPPED = re.compile(
    r"(?:(?:^(?:(?:I|we)(?:'ve| have)?\s+)?(?:dropped|removed|rejected|ditched|abandoned|gave up)"
    r"|\b(?:drops|removes))\s+(?P<other>.+?)|^(?P<other2>.+?)(?<! that)(?<! which)\s+(?:was|were)\s+"
    r"(?:dropped|rejected|removed|abandoned|discarded|ruled out))"
    r"\s+in\s+favou?r\s+of\s+(?P<chosen>.+?)" + REASON,
    re.I,
)
WHY_LABEL = re.compile(
    r"^why (?P<chosen>[^:]{2,80}?) (?:over|and not|instead of|rather than"
    r"|not) (?P<other>[^:]{2,80}?): (?P<why>.+)$",
    re.I,
)

STATED = re.compile(
    r"^(?P<chosen>[^,;:]{12,160}?),? (?:so(?: that)?|because|since) (?P<why>[^;]{12,})$", re.I
)
"""What was decided, and why, where only decisions are listed."""
AGENT = (
    r"(?:(?:I|we)(?:'ve|'m|'ll| have| will| am| are)?\s+)?"
    r"(?:(?:deliberately|intentionally|consciously|therefore|also|instead|simply)\s+)*"
)
_LEFT = r"(?:kept|left|keep|keeping|leaving|retained|stayed (?:with|on))\b"
STATE, DONE = FORMS["state"], FORMS["done"]
PICKED = re.compile(
    BEGIN
    + _ASIDE
    + r"(?:(?:I |we )?(?:compared|weighed|tried|benchmarked|tested)\s[^,;]{3,60}\sand\s)?"
    + AGENT
    + rf"{CHOSE}\s+(?P<chosen>.+?)"
    + REASON,
    re.I,
)
"""A word of choice; a reason must follow, or the other way."""
TAKEN = re.compile(BEGIN + _ASIDE + AGENT + rf"(?:{CHOSE}|{_LEFT}|decided)", re.I)
LEFT = re.compile(BEGIN + _ASIDE + AGENT + rf"(?P<chosen>{_LEFT}\s+.+?)" + REASON, re.I)
NOT_DONE = re.compile(
    BEGIN
    + r"(?:(?:for|in|on) [^;]{2,40}?,? (?=I\b))?"
    + r"(?P<chosen>(?:I|we)?(?:'ve| have|'m|'re| am| are)?\s*(?:(?:deliberately|intentionally"
    r"|also)\s+)?(?:opted (?:not to|against|out of)|decided not to|decided against|chose not to|skipped"
    r"|refrained from|dropped the idea of|gave up on|held off on|ended up not|not (?=(?:using|adding"
    r"|introducing|caching|building|creating)\b)|(?<=intentionally )did not|(?<=deliberately )did not|"
    r"(?<=intentionally )didn't|(?<=deliberately )didn't|(?:do not|don't) (?=[^;:]*[:;] [^;:]*\bwould\b)|"
    r"(?:did not|didn't) (?=(?:want|add|introduce|use|create|make|build|extract|wrap|cache|bump|pull|rename"
    r"|rewrite|split|merge)\b))"
    r"\s*(?P<other>[^;:,–—]+?))(?:,? and (?:just |simply )?(?P<chosen2>\w+ed\s[^,;]+?))?" + REASON,
    re.I,
)
WEIGHED = re.compile(
    r"^(?:(?:I|we)(?:'ve| had| have)? |(?=considered|weighed|evaluated|looked into))(?:could have"
    r"|would have (?:liked|preferred)(?: to)?|was tempted to|thought about|toyed with|(?:did )?consider"
    r"(?:ed)?|weighed|contemplated|looked into|evaluated)\s+(?P<other>[^;]{2,120}?)\s*[,;–—]\s*(?:but|yet"
    r"|though|however),?\s+(?P<chosen>.+)$",
    re.I,
)
BEST = re.compile(
    r"^the (?:simplest|cleanest|safest|easiest|smallest|least \w+|most \w+|better|right|pragmatic"
    r"|boring) (?:\w+ )?was (?:to )?(?P<chosen>.+?)"
    + REASON
    + r"|^(?P<chosen2>[^;,]+?) (?:was|is|seemed|felt) the (?:safer|simpler|better|cleaner|right|pragmatic"
    r"|smaller|easier) (?:choice|option|place"
    r"|way|fix|approach|solution|route)(?: here)?[,;:]\s*(?P<why4>.+)$",
    re.I,
)
NEITHER = re.compile(
    r"^(?:neither (?P<one>.+?) nor (?P<two>.+?)|no (?P<other>[^,;:]+?)) (?:was|were|is|are) (?:needed"
    r"|necessary|required)[;,:]\s*(?P<chosen>.+)$|^(?P<other2>[^,;:]{3,60}?) (?:was|were|is|are)(?:n't| not) "
    r"(?:needed|necessary|required|worth it)[;:]\s*(?P<chosen2>.+)$",
    re.I,
)
AVOIDS = re.compile(
    r"^(?P<chosen>(?:using|keeping|doing|passing|reusing|having|moving|putting|storing|running|building"
    r"|making|\w+ing)\s[^,;:]{2,100}?)"
    r"\s(?:avoids|saves us|spares(?: us)?)\s(?P<other>[^,;]{4,100})" + REASON,
    re.I,
)
WITHHELD = re.compile(
    r"^(?P<other>[^;:–—(]{3,160}?)\s*(?:[;:(–—]|\s-\s|,?\s(?:because|since|as)\s)\s*(?P<why>.{12,}?)\)?$",
    re.I,
)
"""An item of a list of what was left undone on purpose."""
WHY_NOT = re.compile(
    r"^why (?:not|no) (?P<other>[^?]{3,100})\?$|^why (?P<chosen>.{2,80}?) (?:over|and not|instead of"
    r"|rather than) (?P<other2>[^?]{2,80})\?$",
    re.I,
)
"""A question that the author answers in the next sentence."""
UNFIT = re.compile(
    r"^(?:I|we) (?:could not|couldn't|can't|cannot) (?:use|rely on|reuse) (?P<other>[^,]+?),? (?:because"
    r"|since|as) (?P<why>[^,]+), so (?P<chosen>.+)$|^(?P<other4>\w[^,;]+?) would (?P<why4>[^;]+?), so "
    r"(?P<chosen4>(?:I|we) (?:won't|will not|did not|didn't|left|kept|avoided)\b.*)$|^"
    r"(?P<chosen5>[^;]{8,160}); (?P<other5>[^;]+?) (?:is|are|was|were) (?:ignored|not used|left out"
    r"|not trusted|not consulted) (?:because|since|as) (?P<why5>.+)$|^(?P<chosen6>.+?)\s*(?:[—–(]|,"
    r"|\s-\s)\s*(?:it's |it is |is )?(?:clearer|simpler|safer|faster|cleaner|smaller|shorter|cheaper"
    r"|more \w+) than (?P<other6>[^,;]+).*$|^(?P<chosen2>.+?); I (?:did not|didn't) want (?:to )?"
    r"(?P<other2>.+)$",
    re.I,
)
