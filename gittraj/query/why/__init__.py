"""Finds out who wrote lines, and why, for ``git traj why FILE:LINE``. A line gets its reason in five steps.

``git blame`` says which commit the line is from and its number there; the commit's notes say which sessions
worked on it (:mod:`.lines`, which also assembles the answer). For each call of these sessions :mod:`.written`
extracts the text that it writes to the file, :mod:`.shell` that of a shell command. All these edits are
replayed in the order of time, and the one whose text is there at the end wrote the line
(:mod:`.line_origin`; :mod:`.origins` tries the sessions first that certainly worked on the commit). In its
session :mod:`.reasons` looks for the explanation: the prompt above the edit, and the decision that names the
line, its file or a symbol in it, or that is right before the edit; else the agent's message there. Last,
:mod:`.changes` shows what the edit replaced.

Nothing is guessed. If no edit wrote the line, the commit's records are shown as the commit's, and a decision
is the line's reason only if it was recorded for that line. If the commit has no record, the answer is the
previous recorded change of the lines that it replaced, or of the file (:mod:`.previous`).
"""
