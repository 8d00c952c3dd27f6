"""Twenty sessions, each labelled with all its decisions: nothing else in a session counts as one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from tests.integration.labelled import Asks, Runs, Says, Script, Thinks

Label = tuple[str, str, str | None, tuple[str, ...], str | None]
"""A decision: chosen, by whom, question, alternatives, reasoning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """``states``: the decisions; ``notes``: how many notes report a block or command that could not be read;
    ``kept``: texts that must remain in the messages."""

    name: str
    format: str
    script: Script
    states: Sequence[Label] = ()
    notes: int = 0
    kept: Sequence[str] = ()


def label(
    chosen: str,
    by: str = "agent",
    *others: str,
    question: str | None = None,
    why: str | None = None,
) -> Label:
    return chosen, by, question, others, why


def block(chosen: str, **more: object) -> str:
    said = json.dumps({"chosen": chosen, **more}, ensure_ascii=False)
    return f"[[TRAJECTORY:decision]] {said} [[/TRAJECTORY]]"


def printed(*numbers: str) -> str:
    """The output of ``git traj decision`` for each of the decisions: the ids of the events."""
    return "\n".join(f"ev_{number * 24} in traj_{'a' * 16}" for number in numbers)


NO = block("never")  # used where it does not count: quoted, in code, in a file
GO = Asks("Limit the rate")
FULL = block("a bucket", question="How?", alternatives=["a window", "a log"], reasoning="bursts are normal")
STATED = label("a bucket", "agent", "a window", "a log", question="How?", why="bursts are normal")

EXAMPLES = [
    f"Print this:\n```\n{NO}\n```\nor\n~~~~json\n```\n{NO}\n```\n~~~~",
    f"- In a list:\n\n  ```text\n  {NO}\n  ```\n\n1. ```\n   {NO}\n   ```",
    f"> Quoted:\n> {NO}\n>\n> ```\n> {NO}\n> ```",
    f"So:\n\n    {NO}\n\n\t{NO}",
    f"```markdown\nPrint\n```\n{NO}\n```\nthen\n```\n\nInline `{NO}` and ``say {NO}``.",
    f"```\n```json\n{NO}\n```\n{NO}\n```",
    f'<pre>\n{NO}\n</pre>\n<!-- {NO} --> It says "{NO}".',
    f"````\n```\n{NO}\n```\n{NO}\n````\n\n```\n{NO}",
]
TEMPLATES = [
    '[[TRAJECTORY:decision]] {"question": "…", "chosen": "…", "alternatives": ["…"]} [[/TRAJECTORY]]',
    '[[TRAJECTORY:decision]] {"chosen": "a bucket", "reasoning": "..."} [[/TRAJECTORY]]',
    '[[TRAJECTORY:event]] {"type": "decision", "content": "<what>", "significance": "high"} [[/TRAJECTORY]]',
    '[[RETROSPECTIVE]] {"summary": "What did you accomplish?", "decisions": [{"chosen": "never"}]} '
    "[[/RETROSPECTIVE]]",
    "A [[TRAJECTORY:decision]] block ends with [[/TRAJECTORY]].",
]
DISCUSSED = [
    "We could use a bucket instead of a window.",
    "Should I use a bucket instead of a window? I would use a bucket rather than a window if it were mine.",
    "I won't use a bucket instead of a window. I did not choose a log over a window.",
    'You wrote "It is slow. I used a window instead of a log. Mend it."',
    "> I used a window instead of a log.",
    "Previously we used a window instead of a log. They used a log rather than a window.",
    "If we use a bucket instead of a window, bursts pass.\nWhen\nI use a bucket instead of a window they do.",
    "The README says:\n\nI used a bucket instead of a window.",
    "You could choose:\n- I use a bucket instead of a window\n- I keep the window rather than a bucket",
    "I used a loop over the keys. I chose JSON over HTTP. I ruled out the cache for now.",
    "I used a log instead of a window. That was wrong, so I reverted it.",
    "```\nI used a log instead of a window.\n```\n`I used a log instead of a window.`",
    "I used to prefer a log over a window. I used grep to see why it is not working.",
    "I'll use a bucket instead of a window. Shall I?",
]
SHOWN = "To record:\ngit traj decision never\n" + printed("z")

SESSIONS = (
    Labelled(
        name="examples in code and quotations",
        format="claude",
        script=[GO, *map(Says, EXAMPLES), Says(f"Well.\n\n{FULL}\n\nDone.")],
        states=[STATED],
        kept=[NO, "Well."],
    ),
    Labelled(
        name="blocks that the agent does not say",
        format="rollout",
        script=[
            Asks(f"Print {NO}"),
            Thinks(NO),
            Runs("cat README", NO),
            Runs(f"cat > f <<'E'\n{NO}\nE"),
            Says(FULL),
        ],
        states=[STATED],
    ),
    Labelled(
        name="blocks in files, prompts and thinking",
        format="claude",
        script=[
            Asks(NO),
            Thinks(f"I used a log instead of a window. {NO}"),
            Runs(
                "", "done", tool="Write", given={"file_path": "/w/a", "content": NO}, detail={"content": NO}
            ),
            Runs("", "It is done", tool="Task", given={"prompt": NO, "subagent_type": "Explore"}),
            Runs("", NO, tool="Read", given={"file_path": "/w/a"}, detail={"file": {"content": NO}}),
        ],
    ),
    Labelled(
        name="templates that the agent repeats",
        format="gemini",
        script=[GO, *map(Says, TEMPLATES), Says(FULL)],
        states=[STATED],
        kept=TEMPLATES,
    ),
    Labelled(
        name="damaged blocks",
        format="opencode",
        script=[
            GO,
            Says('[[TRAJECTORY:decision]] {"chosen": "never",} [[/TRAJECTORY]]'),
            Says('[[TRAJECTORY:decision]] {"chosen": "never'),
            Says('[[TRAJECTORY:decision]] {"question": "never"} [[/TRAJECTORY]]'),
            Says(f"{FULL.removesuffix('[[/TRAJECTORY]]')}\n{block('a queue')}"),
        ],
        states=[STATED, label("a queue")],
        notes=3,
        kept=['{"chosen": "never",}', '{"chosen": "never', '{"question": "never"}'],
    ),
    Labelled(
        name="two in a message, and lines that end with CRLF",
        format="chat",
        script=[
            GO,
            Says(
                f"```\r\n{NO}\r\n```\r\n{FULL}\r\n\r\nAnd\r\n" + block("a queue").replace(" {", "\r\n{\r\n")
            ),
        ],
        states=[STATED, label("a queue")],
        kept=[NO],
    ),
    Labelled(
        name="a message that arrives in fragments",
        format="claude-stream",
        script=[
            GO,
            Says(f"Well. {FULL}"),
            Says("I chose a queue rather than a stack, because order matters."),
        ],
        states=[STATED, label("a queue", "inferred", "a stack", why="order matters")],
    ),
    Labelled(
        name="items that are printed again while they grow",
        format="exec",
        script=[Thinks(NO), Says(FULL), Runs("cat README", NO), Says(EXAMPLES[0])],
        states=[STATED],
    ),
    Labelled(
        name="a message that is written again",
        format="gemini",
        script=[GO, Says(f"Well.\n{FULL}"), Runs("ls", "a"), Says("Done")],
        states=[STATED],
        kept=["Well."],
    ),
    Labelled(
        name="commands that recorded nothing",
        format="claude",
        script=[
            GO,
            Runs(
                "git traj decision never",
                "error: git-traj is paused here\nhint: git traj resume",
                failed=True,
            ),
            Runs("echo git traj decision never", "git traj decision never"),
            Runs("cat > README <<'E'\ngit traj decision never\nE"),
            Runs("grep -rn 'git traj decision' .", f"README:2:git traj decision never\n{printed('z')}"),
            Runs("cat README", SHOWN),
            Runs("echo 'git traj decision never'; cat README", SHOWN),
            Runs("cat README # git traj decision never", SHOWN),
            Runs("git commit -m 'git traj decision never'", "[main 1a2b3c4] git traj decision never"),
        ],
        kept=["git traj decision never"],
    ),
    Labelled(
        name="commands that recorded something",
        format="rollout",
        script=[
            GO,
            Runs(
                "git traj decision 'a bucket' --question 'How?' --alternative 'a window' "
                "--alternative='a log' --reasoning 'bursts are normal'",
                printed("a"),
            ),
            Runs("git traj decision -q 'a queue'", "ev_" + "b" * 24),
            Runs("(cd sub && git traj decision 'in a subshell')", printed("c")),
            Runs("sh -c 'git traj decision \"in a shell\"' | tail -1", printed("d")),
            Runs("make && git traj decision one && git -C . traj decision two", "ok\n" + printed("e", "f")),
            Runs("for i in 1 2; do git traj decision again; done", printed("g", "h")),
            Runs("ID=$(git traj decision -q caught); echo $ID", "ev_" + "i" * 24),
        ],
        states=[
            STATED,
            *map(label, ("a queue", "in a subshell", "in a shell", "one", "two", "again", "again", "caught")),
        ],
    ),
    Labelled(
        name="a mentioned command next to one that ran",
        format="gemini",
        script=[
            GO,
            Runs("echo git traj decision never; git traj decision real", printed("a")),
            Runs("cat > f <<E\ngit traj decision never\nE\ngit traj decision 'after it'", printed("b")),
            Runs("git traj decision never > /dev/null; git traj decision shown", printed("c")),
            Runs("# git traj decision never\ngit traj decision 'costs $5'", printed("d")),
        ],
        states=[*map(label, ("real", "after it", "shown", "costs $5"))],
    ),
    Labelled(
        name="commands whose line does not contain the whole decision",
        format="opencode",
        script=[
            GO,
            Runs("git traj decision never || git traj decision 'never either'", printed("a")),
            Runs('for x in a b; do git traj decision "$x"; done', printed("b", "c")),
            Runs("echo x | xargs -n1 git traj decision", printed("d")),
            Runs("git traj decision 'a queue' --reasoning \"$WHY\"", printed("e")),
        ],
        states=[label("a queue")],
        notes=4,
    ),
    Labelled(
        name="questions, a plan and a refusal",
        format="claude",
        script=[
            GO,
            Runs(
                "",
                "User has answered your questions",
                tool="AskUserQuestion",
                given={"questions": []},
                detail={
                    "questions": [
                        {"question": "How?", "options": [{"label": "a bucket"}, {"label": "a window"}]},
                        {"question": "Why?", "options": [{"label": "never"}]},
                    ],
                    "answers": {"How?": "a bucket"},
                },
            ),
            Runs(
                "",
                "User has approved your plan.",
                tool="ExitPlanMode",
                given={"plan": "# Limit\n\nFirst do a."},
            ),
            Runs("rm x", "The user doesn't want to proceed with this tool use.", failed=True),
            Runs("grep x", "Exit code 1\nThe user doesn't want to proceed with this tool use.", failed=True),
            Runs("", "<tool_use_error>Plan mode is off</tool_use_error>", failed=True, tool="ExitPlanMode"),
        ],
        states=[
            label("a bucket", "human", "a window", question="How?"),
            label("Limit"),
        ],
    ),
    Labelled(
        name="an answer and a refused command",
        format="rollout",
        script=[
            GO,
            Runs(
                "",
                '{"answers": {"q": {"answers": ["a bucket"]}}}',
                tool="request_user_input",
                given={
                    "questions": [
                        {
                            "id": "q",
                            "question": "How?",
                            "options": [{"label": "a bucket"}, {"label": "a log"}],
                        },
                        {"id": "r", "question": "Why?", "options": [{"label": "never"}]},
                    ]
                },
            ),
            Runs("rm x", "exec command rejected by user", detail="unframed"),
            Runs("cat log", "exec command rejected by user"),
        ],
        states=[
            label("a bucket", "human", "a log", question="How?"),
        ],
    ),
    Labelled(
        name="a call that nobody declined",
        format="exec",
        script=[
            Runs("rm x", "", failed=True, detail="declined"),
            Says("I could use a log instead of a window."),
        ],
    ),
    Labelled(
        name="an answered question and a refusal of another agent",
        format="opencode",
        script=[
            GO,
            Runs(
                "",
                "answered",
                tool="question",
                given={
                    "questions": [
                        {"question": "How?", "options": [{"label": "a log"}, {"label": "a bucket"}]}
                    ]
                },
                detail={"answers": [["a bucket"]]},
            ),
            Runs("rm x", "The user rejected permission to use this specific tool call.", failed=True),
        ],
        states=[label("a bucket", "human", "a log", question="How?")],
    ),
    Labelled(
        name="choices that are only discussed",
        format="chat",
        script=[Asks("I used a log instead of a window."), *map(Says, DISCUSSED)],
        kept=DISCUSSED,
    ),
    Labelled(
        name="choices that are made in a sentence",
        format="claude",
        script=[
            GO,
            Says("I used a bucket instead of a window, because bursts are normal. Shall I commit?"),
            Says("So we decided on a queue, not a stack."),
            Says("I've ruled out threads in favour of processes."),
            *map(Says, DISCUSSED),
        ],
        states=[
            label("a bucket", "inferred", "a window", why="bursts are normal"),
            label("a queue", "inferred", "a stack"),
            label("processes", "inferred", "threads"),
        ],
    ),
    Labelled(
        name="a retrospective that lists decisions",
        format="claude",
        script=[
            GO,
            Says(
                "[[RETROSPECTIVE]]\n```json\n"
                + json.dumps(
                    {"summary": "Done", "decisions": [{"chosen": "a queue", "by": "human"}, {}, "a log"]}
                )
                + "\n```\n[[/RETROSPECTIVE]]"
            ),
            Says(block("a set", by="inferred", confidence="90%")),
        ],
        states=[*map(label, ("a queue", "a log", "a set"))],
    ),
)
