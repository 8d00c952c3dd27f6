"""Task systems: which task work belongs to, what it is called, and what the system is told.

``naming`` finds tasks in what a person named, in branches and messages, and asks nobody; ``lookup`` says
which systems are in use here, and meets the network. It never fails over that: the task comes back as it was
named, with the trouble, a ``TaskError``, for one line to the user.

A new system is a module with what :class:`~gittraj.tasks.system.System` lists, and a line in
:data:`~gittraj.tasks.system.TASKS`.
"""
