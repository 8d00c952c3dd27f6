"""Task systems: which task work belongs to, what it is called, and what the system is told.

What a command calls::

    site = survey(repository, os.environ, preferred=config.tasks)    which systems are in use here
    detect("ENG-456", site)             TaskRef | None    what a person named; what nobody knows is plain
    from_branch("feature/ENG-456", site)                 TaskRef | None
    from_trailers("Add it\\n\\nFixes: #12", site)          tuple[TaskRef, ...], those first that it closes
    look_up(task, site)                 Found             asks for title, address, status: 3 s at the most
    report(task, "started", site)       TaskError | None  where the user asked for it; "completed" too

The first four ask nobody. The last two meet the network and never fail over it: the task comes back as it was
named, with the trouble, a ``TaskError``, for one line to the user. ``system_of(name)`` is an adapter itself.

A new system is a module with what :class:`~gittraj.tasks.system.System` lists, and a line in
:data:`~gittraj.tasks.system.TASKS`.
"""

from __future__ import annotations

from gittraj.tasks.lookup import Found, look_up, report, survey, survey_exports
from gittraj.tasks.naming import detect, from_branch, from_trailers
from gittraj.tasks.system import TASKS, Known, Site, Status, System, system_of

__all__ = [
    "TASKS",
    "Found",
    "Known",
    "Site",
    "Status",
    "System",
    "detect",
    "from_branch",
    "from_trailers",
    "look_up",
    "report",
    "survey",
    "survey_exports",
    "system_of",
]
