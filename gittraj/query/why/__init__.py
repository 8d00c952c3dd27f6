"""Who wrote lines, and why: what ``git traj why FILE:LINE`` tells. A line gets its reason in five steps.

``git blame`` says which commit the line is from and where it stood there, and the notes of that commit which
sessions worked for it (:mod:`.lines`, which also puts the answer together). Of each call of these sessions
:mod:`.written` reads what it says that it writes of the file, :mod:`.shell` what a command does. All these
edits are played in the order of time, and the one whose text stands there in the end wrote the line
(:mod:`.line_origin`; :mod:`.origins` asks the sessions that surely worked for the commit first). Its session
is asked what explains it (:mod:`.reasons`): the prompt above it, and the decision that names the line, its
file or a symbol in it, or that stands right before it; else the agent's words there. Last, :mod:`.changes`
shows what it replaced.

Nothing is guessed. Where no edit wrote the line, what the commit carries is told as the commit's, and no
decision is the line's reason unless it was recorded for it. Where the commit has no record, the answer is the
previous recorded change of what stood there, or of the file (:mod:`.previous`).
"""
