"""Finds what an agent says about its work in ordinary prose: choices, doubts, the result and why. Pure.

:mod:`.markdown` splits a message into sentences, :mod:`.choices`, :mod:`.doubts` and :mod:`.outcome` read
these by rules. Precision first: a wrong reason is worse than none.
"""
