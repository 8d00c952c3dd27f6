"""``python -m gittraj.asking AGENT STATE_FOLDER GIT_DIR``, with the hook's payload on stdin.

The output goes to the model, in a form that all agents with hooks read; it is empty if anything fails.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from pathlib import Path

WORK, WAIT = 0.5, 2.0
"""Seconds of computing, and of elapsed time on a busy machine, until the process ends without a word."""
WORDS = (
    "this session made commits, and nothing looks back on them yet. Say what came of it in a block, outside "
    'any code fence, and end there: [[RETROSPECTIVE]] {"summary": "…", "challenges": ["…"], "learnings": '
    '["…"], "confidence": 0.8} [[/RETROSPECTIVE]] No secrets in it. You are asked only once.'
)
_NAME = re.compile(r"[\w.-]{1,160}")


def main(arguments: list[str]) -> int:
    """Ask the agent, if that is due. Never fails: the agent waits, and would show our errors to its user."""
    try:
        agent, folder, git_dir = arguments
        payload = json.loads(sys.stdin.buffer.read())
        mark = Path(folder) / "asked" / f"{agent}-{payload['session_id']}"
        if mark.exists() or not _NAME.fullmatch(mark.name):
            return 0
        if payload.get("stop_hook_active"):  # this or another hook has already kept the turn from ending
            return 0
        from gittraj.agents import all_agents  # noqa: PLC0415
        from gittraj.asking.due import Turn, is_due  # noqa: PLC0415
        from gittraj.model.session_items import ASKING  # noqa: PLC0415

        asked = all_agents().get(agent)
        if asked is None or asked.last_message is None:
            return 0
        turn = Turn.of(agent, asked.last_message, payload)
        if is_due(turn, Path(folder), Path(git_dir), environ=os.environ):
            mark.parent.mkdir(exist_ok=True)
            mark.touch(exist_ok=False)  # of several hooks at once, only one asks
            sys.stdout.write(json.dumps({"decision": "block", "reason": ASKING + WORDS}) + "\n")
            sys.stdout.flush()
    except Exception:  # noqa: BLE001, S110 - the agent would treat a message as its user's words
        pass
    return 0


if __name__ == "__main__":
    if hasattr(signal, "setitimer"):  # Windows has none
        for end, timer, seconds in (
            (signal.SIGPROF, signal.ITIMER_PROF, WORK),
            (signal.SIGALRM, signal.ITIMER_REAL, WAIT),
        ):
            signal.signal(end, signal.SIG_DFL)
            signal.setitimer(timer, seconds)
    sys.exit(main(sys.argv[1:]))
