"""Codex: its rollout files and its output.

- Formats: ``rollout`` (its session logs), ``exec`` (the output of ``codex exec --json``), ``document`` (the
  logs of its first version), ``notify`` (what it passes to a ``notify`` program).
- One record of a rollout: ``records``; one record or item of the output: ``exec_items``.
- Their content: ``calls`` and ``outputs`` of tools, ``prompts`` by a human, ``usage`` of model calls.
"""
