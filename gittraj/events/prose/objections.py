"""The forms of a sentence that says what speaks against the ``other`` way: the one that was not taken."""

from __future__ import annotations

import re

from gittraj.events.prose.contrasts import AGENT, CHOSE, FORMS, REASON, REFUSED, TOOK

_DRAWBACK, _FITS, _PERSONS = (f"(?:{FORMS[name].pattern})" for name in ("drawback", "fits", "persons"))
_SUBJECT = (
    rf"(?P<other>(?:(?:An?|One|Another|Both|No|Any)\s(?!of\b|{_PERSONS})[^,;:.]{{2,70}}?|\x00\d+\x00(?: "
    rf"(?:and|or) \x00\d+\x00)?|[A-Z]\w+s of [a-z][^,;:.]{{2,40}}?|(?!Existing|Nothing|Everything|Missing"
    rf"|Remaining|Pending|During|According|Following)[A-Z]\w*ing\b(?! of)[^,;:.]{{2,80}}?|(?!(?:It|This|That"
    rf"|These|Those|They|He|She|We|You|Our|Your|There|I\b|The|Existing|Old|Current|If|When|Then|Otherwise"
    rf"|But|So|All|Also|Now|Next|Note|And)\b|{_PERSONS})[A-Z][\w.+-]*(?:'s)?(?: (?:and|or|\w+ing"
    rf"|\w+s) [a-zA-Z][\w.+-]*| (?!would|could)[A-Za-z\d]\w*)?|The (?:alternative|other|\w+ing)"
    rf"(?:,? [^,;.]{{2,60}})?|The (?!safest|simplest|best|right|current|only|new|cleanest|easiest)(?:\w+ )?"
    rf"(?:approach|version|variant|option|route)))"
)
ALTERNATIVE = re.compile(
    rf"^{_SUBJECT},?\s(?P<why>(?:would|could)(?:n't| not)? (?:also |only |just |well )*have \w+.*|would"
    rf"(?:n't| not)? (?:also |only |just )*(?:lock|add|make|force|need|require|mean|cost|take|give|bring"
    rf"|leave|look|save|shave|pull|tie|double|block|slow|keep|put|be|work|help)\b.*|(?:felt|seemed|looked"
    rf"|was|were|is|are)(?:n't| not) worth\b.*|(?:was|were|felt) tempting\b.*|(?:was|were) out (?:because"
    rf"|since|as)\b.*|(?:is|are|was|were|looks?|looked|reads?|seems?|seemed|felt|has|have|gives?"
    rf"|offers?)\s[^;.]{{2,80}}?(?:,\s|;\s|\s[–—-]\s|\s(?=but))(?:but|yet|and I)\b.*)$"
)
"""A sentence on what was not taken, after the one that says what was."""
_BARE = (
    rf"(?P<other>(?!{FORMS['no_way'].pattern}|(?:(?:an?|one|any|the|old|existing) )?{_PERSONS})(?!the (?!"
    r"(?:\w+ )?(?:approach|version|variant|option|route|alternative|default|other|first|second)\b))[^\s,;:.]"
    r"[^,;:.]{1,60}?)"
)
OBJECTION = re.compile(rf"^{_SUBJECT}\s(?P<why>{_DRAWBACK})$")
"""After a sentence that says what was taken."""
AGAINST = re.compile(
    rf"^(?P<chosen>[^;:–—]{{8,160}}?)\s*(?:(?:;|:|\s[–—-]|,|,?\s(?:whereas|since|because|as)(?=\s(?:an?"
    rf"|\w+ing)\s))\s+|\()(?:{_BARE}\s+(?P<why>{_DRAWBACK})|(?P<other2>(?!using|adding|including|allowing"
    rf"|making|preventing|avoiding|ensuring|keeping|causing|removing|reducing|giving"
    rf"|letting)\w+ing\s[\w\x00.-]+)\s(?P<why4>\S.{{9,}}))\)?$",
    re.I,
)
"""What was done; what speaks against the other way."""
_DEED = (
    rf"(?:(?:for now|in the end|finally|ultimately|instead|then|here),?\s+)?{AGENT}"
    rf"(?:(?!using|keeping)(?:{TOOK})\b|{CHOSE}|{FORMS['made'].pattern}|(?:(?<=\bI )|(?<=\bI've )|(?<=\bwe ))"
    r"(?!need|want|tri|fail|look|check|notic|learn|reali|worri|hesitat)\w+ed\b)"
)
TAKES = re.compile(
    rf"^{_DEED}|(?:[,;] so|;|[–—])\s(?=I\b|we\b){_DEED}"
    rf"|^(?!(?:it|its|this|that|they|these|those|there)\b)[^,;]{{2,80}}?\s{_FITS}$",
    re.I,
)
"""What follows ``considered X, but``, where it says what was taken; else it speaks against X."""
OBJECTED = re.compile(
    rf"^(?:(?:I|we)(?:'ve| had| have)? (?:also |did |briefly |first )*)?(?:(?:my|our) preference was"
    rf"|consider(?:ed)?|thought (?:about|of)|weighed|contemplated|evaluated|toyed with|looked (?:at|into)"
    rf"(?! the (?:log|test|code|error|output|doc|file|histor|source|diff|trace)\w*)|tried(?! (?:to |again"
    rf"|running|testing|building|installing|reproducing|finding|it\b)))\s+"
    rf"(?P<other>[^;]{{2,120}}?)\s*[,;–—]\s*(?:but|yet|though|however),?\s+(?P<why>(?!{REFUSED}).+)$",
    re.I,
)
FIRST = re.compile(
    r"(?:^|; )(?:(?P<other>[^,;]{2,90}?) (?:was|were) (?:my|our|the) first (?:thought|idea|instinct|impulse)"
    r"|(?:my|our|the) first (?:thought|idea|instinct|impulse) was (?:to (?:use )?)?(?P<other2>[^,;]{2,90}?))"
    rf"[,;]?\s+but\s+(?:(?!(?:it|its|this|that|they)\b)(?P<chosen>[^,;]{{2,80}}?)\s(?P<why4>{_FITS})$"
    rf"|{_DEED}\s+(?P<chosen2>.+?){REASON})",
    re.I,
)
RATHER = re.compile(
    rf"^{_BARE}\s+(?:(?:would|could|might) (?:also )?(?:be \w+|have been \w+|have worked|work|do)|(?:was"
    rf"|were) tempting)\b[^,;]{{0,60}}[,;]\s*(?:but|yet)\s+(?:(?P<why4>[^;]{{3,100}}?)(?:;|, so)\s+)?(?=(?:I"
    rf"|we)\b){_DEED}\s+"
    r"(?!(?:it|this|that|out)\b)(?P<chosen>.+?)" + REASON,
    re.I,
)
RETURNED = re.compile(
    r"^(?:I|we)(?:'ve| had| have)? (?:first )?(?:considered|tried|started with|began with|looked at"
    r"|thought about)\s(?P<other>[^,;]{2,80}?),? but\s(?P<why4>[^;]+?)(?:[,;] so|;)\s(?=(?:I|we)\b)"
    rf"{_DEED}\s(?:to |on )?(?P<chosen>(?!it\b|that\b|this\b|out\b)[^;]+)$",
    re.I,
)
"""What was tried, what spoke against it, and what was taken then."""
WOULD = re.compile(
    rf"^{_SUBJECT}\s(?:would|could|might)\s[^;]+?,? but\s(?P<why4>[^;]+?), so\s(?P<chosen>"
    rf"(?!(?:I|we|it|this|that|they|there|you|the|for now)\b)(?:(?!{FORMS['finite'].pattern})[^,;]){{3,50}})$"
)
_WAY = r"(?:(?:only |obvious |main )?alternative|other (?:way|option|choice))"
_IS = r"\s(?:was|would be|would have been)\s"
DECLINED = tuple(
    re.compile(form)
    for form in (
        r"^(?:(?:I|[Ww]e)(?:'ve| had| have)? )?(?:could (?:also |have |just )*|[Cc]onsidered |looked at "
        rf"|thought (?:about|of) )(?P<other>[^;,]{{2,100}}?),? (?:but|and) (?:then )?{REFUSED}{REASON}",
        rf"^{_SUBJECT}\s(?:would|could|might)\s[^;]+?,? but\s(?P<why>[^;]+?), so {REFUSED}$",
        rf"^(?!The\b){_SUBJECT}{_IS}the {_WAY}{REASON}",
        rf"^(?:The|An|One) {_WAY}{_IS}(?:to )?(?P<other>(?!\w+ed\b|not\b)[^,;:]{{2,80}}?)"
        rf"(?:, which I rejected)?{REASON}",
        rf"^{_SUBJECT}\swould\s(?:also |have )*{FORMS['gain'].pattern}[^;]*?,? but\s(?P<why>(?!only\b|not\b)"
        r"(?!.*(?:, so\b|\b(?:could|can)(?:n't|not| not) (?:try|test|verify|run)\b))[^;]+)$",
    )
)
"""What was not taken; what was, stands before it or is not told. The last form needs a sentence before."""
