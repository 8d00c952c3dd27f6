"""Finds what an agent says about its work in ordinary prose: choices, doubts, the result, the reason. Pure.

:mod:`.markdown` splits a message into sentences; :mod:`.choices`, :mod:`.doubts` and :mod:`.outcome` read
the sentences by rules. Precision comes first: a wrong reason is worse than no reason.
"""
