"""What an agent says of its work in ordinary prose: choices, doubts, what came out and why. Pure.

:mod:`.markdown` takes a message apart, :mod:`.choices`, :mod:`.doubts` and :mod:`.outcome` read its sentences
by rules. Precision first: a wrong reason is worse than none.
"""
