"""Task systems: finds the task that work belongs to and its title, and reports progress to the system.

``naming`` finds tasks in what a person named, in branches and messages, without the network; ``lookup`` finds
which systems are in use here, and uses the network. It never fails because of that: it returns the task as it
was named, with the trouble, a ``TaskError``, for one line to the user.

A new system is a module with what :class:`~gittraj.tasks.system.System` lists, and a line in
:data:`~gittraj.tasks.system.TASKS`.
"""
