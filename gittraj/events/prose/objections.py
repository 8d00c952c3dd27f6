"""The forms of a sentence that says what speaks against the ``other`` way: the one that was not taken."""

from __future__ import annotations

import re

from gittraj.events.prose.contrasts import AGENT, CHOSE, REASON, REFUSED, TOOK

_DRAWBACK = (
    r"(?:would(?:n't| not)?\s(?!now\b)\w+.*|(?:could|might)(?:n't| not| have)\s.*|(?:was|were) out\b.*"
    r"|(?:only|just|merely) \w+s\s.*"
    r"|(?:felt|seemed|looked|was|were|is|are)(?:n't| not)?\s(?:\w+ly |much |a bit |far )?(?:too"
    r"|like (?:overkill|too much)|overkill|premature|risky|hard|unnecessary|wasteful|noisy|excessive"
    r"|tempting|worth|needed|possible|slow|heavy|brittle|fragile|awkward|unmaintained|deprecated|more|less"
    r"|no option|not"
    r"|an option|over\w+|harder|slower|heavier|bigger|larger|riskier|worse|simpler|shorter|older|faster"
    r"|nicer|cleaner)\b.*"
    r"|(?:broke|breaks?|need(?:s|ed)?|requires?|required|pull(?:s|ed)|swallow(?:s|ed)?|trigger(?:s|ed)?"
    r"|truncates|lacks|struggles|chokes"
    r"|drops|dropped|loses|lost|skipped|hides|leaks|ran|takes?|took|costs?|has no|have no|has too|leaves"
    r"|caps|ignores|adds"
    r"|means|forces|crash(?:es|ed)?|conflicts?|failed|doubles|serializes|touches)\s.*"
    r"|(?:can|could|do|does|did|will)(?:not|n't| not)\s.*)"
)
_PERSONS = (
    r"(?:\w+ )?(?:users?|clients?|callers?|tests?|readers?|calls?|requests?|change|fix|bug|error|review"
    r"|commits?)\b"
)
_SUBJECT = (
    rf"(?P<other>(?:(?:An?|One|Another|Both|No|Any)\s(?!of\b|{_PERSONS})[^,;:.]{{2,70}}?"
    r"|\x00\d+\x00(?: (?:and|or) \x00\d+\x00)?|(?!Existing|Nothing|Everything|Missing|Remaining|Pending"
    r"|During|According|Following)[A-Z]\w*ing\b(?! of)[^,;:.]{2,80}?"
    r"|(?!(?:It|This|That|These|Those|They|He|She|We|You|Our|Your|There|I\b|The|Existing|Old|Current|If|When|Then"
    r"|Otherwise|But|So|All|Also|Now|Next|Note|And)\b"
    rf"|{_PERSONS})[A-Z][\w.+-]*(?:'s)?(?: (?:and|or|\w+ing|\w+s) [a-zA-Z][\w.+-]*"
    r"| (?!would|could)[A-Za-z\d]\w*)?"
    r"|The (?:alternative|other|\w+ing)(?:,? [^,;.]{2,60})?|The (?!safest|simplest|best|right|current|only"
    r"|new|cleanest|easiest)(?:\w+ )?(?:approach|version|variant|option|route)))"
)
ALTERNATIVE = re.compile(
    rf"^{_SUBJECT},?\s(?P<why>(?:would|could)(?:n't| not)? (?:also |only |just |well )*have \w+.*"
    r"|would(?:n't| not)? (?:also |only |just )*(?:lock|add|make|force|need|require|mean|cost|take|give"
    r"|bring|leave"
    r"|look|save|shave|pull|tie|double|block|slow|keep|put|be|work|help)\b.*"
    r"|(?:felt|seemed|looked|was|were|is|are)(?:n't| not) worth\b.*|(?:was|were|felt) tempting\b.*"
    r"|(?:was|were) out (?:because|since|as)\b.*"
    r"|(?:is|are|was|were|looks?|looked|reads?|seems?|seemed|felt|has|have|gives?|offers?)\s[^;.]{2,80}?"
    r"(?:,\s|;\s|\s[–—-]\s"
    r"|\s(?=but))"
    r"(?:but|yet|and I)\b.*)$"
)
"""A sentence on what was not taken, after the one that says what was."""
_BARE = (
    r"(?P<other>(?!(?:it|this|that|they|these|those|he|she|we|you|I|there|if|when|then|otherwise|which|so"
    r"|but|and|now|also|only"
    rf"|its|our|my|with|without|consider|all|everything|nothing|no|not|two|three|four|\d+|session \w"
    r"|the (?:safest|simplest|best|right"
    rf"|current|only|new)|each|every|see|as|because|since|{_PERSONS})\b)(?!(?:an?|one|any|the|old"
    rf"|existing) {_PERSONS})"
    r"(?!the (?!(?:\w+ )?(?:approach|version|variant|option|route|alternative|default|other|first"
    r"|second)\b))[^\s,;:.][^,;:.]{1,60}?)"
)
OBJECTION = re.compile(rf"^{_SUBJECT}\s(?P<why>{_DRAWBACK})$")
"""After a sentence that says what was taken."""
AGAINST = re.compile(
    rf"^(?P<chosen>[^;:–—]{{8,160}}?)\s*(?:(?:;|:|\s[–—-]|,|,?\s(?:whereas"
    rf"|since|because|as)(?=\s(?:an?"
    rf"|\w+ing)\s))\s+|\()"
    rf"(?:{_BARE}\s+(?P<why>{_DRAWBACK})|(?P<other2>(?!using|adding|including|allowing"
    rf"|making|preventing|avoiding|ensuring|keeping|causing|removing|reducing|giving|letting)\w+ing\s[\w\x00.-]+)\s(?P<why4>\S.{{9,}}))\)?$",
    re.I,
)
"""What was done; what speaks against the other way."""
_DEED = (
    rf"(?:(?:for now|in the end|finally|ultimately|instead|then|here),?\s+)?{AGENT}(?:(?!using|keeping)"
    rf"(?:{TOOK})\b|{CHOSE}|(?:kept|left|retained|stayed(?: with)?|stuck|took|put|made|built|wrote)\b"
    r"|(?:(?<=\bI )|(?<=\bI've ))(?!need|want|tri|fail|look|check|notic|learn|reali|worri|hesitat)\w+ed\b"
    r"|(?<=\bwe )(?!need|want|tri|fail|look|check|notic|learn|reali|worri|hesitat)\w+ed\b)"
)
_FITS = (
    r"(?:(?:is|are|was|were|reads?|looks?|seems?|seemed|felt|works?|worked|does|fits?|keeps? it)\s"
    r"(?:\w+ly |much |a bit |far |just |the |already )?(?:better|simpler|clearer|cleaner|easier|safer|cheaper"
    r"|faster|smaller|shorter|plainer|nicer|lighter|enough|sufficient|right|best|more (?:readable|robust"
    r"|reliable|direct|explicit|idiomatic|consistent))\b.*"
    r"|(?:suffices?|sufficed|won|wins|will do|would do|does the same|matters more)\b.*)"
)
TAKES = re.compile(
    rf"^{_DEED}|(?:[,;] so|;|[–—])\s(?=I\b|we\b){_DEED}"
    rf"|^(?!(?:it|its|this|that|they|these|those|there)\b)[^,;]{{2,80}}?\s{_FITS}$",
    re.I,
)
"""What follows ``considered X, but``, where it says what was taken; else it speaks against X."""
OBJECTED = re.compile(
    r"^(?:(?:I|we)(?:'ve| had| have)? (?:also |did |briefly |first )*)?"
    r"(?:(?:my|our) preference was|consider(?:ed)?|thought (?:about|of)"
    r"|weighed|contemplated|evaluated|toyed with|looked (?:at|into)"
    r"(?! the (?:log|test|code|error|output|doc|file|histor|source|diff|trace)\w*)"
    r"|tried(?! (?:to |again|running|testing|building|installing|reproducing|finding|it\b)))"
    rf"\s+(?P<other>[^;]{{2,120}}?)\s*[,;–—]\s*(?:but|yet|though|however),?\s+(?P<why>(?!{REFUSED}).+)$",
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
    rf"^{_BARE}\s+(?:(?:would|could|might) (?:also )?(?:be \w+|have been \w+|have worked|work|do)"
    rf"|(?:was|were) tempting)\b[^,;]{{0,60}}[,;]\s*(?:but|yet)\s+"
    rf"(?:(?P<why4>[^;]{{3,100}}?)(?:;|, so)\s+)?(?=(?:I|we)\b)"
    rf"{_DEED}\s+"
    r"(?!(?:it|this|that|out)\b)(?P<chosen>.+?)" + REASON,
    re.I,
)
