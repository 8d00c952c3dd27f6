"""Task systems: finds the task that work belongs to and its title, and reports progress to the system.

``naming`` finds tasks in texts that a person typed, in branches and in messages, without the network.
``lookup`` finds which systems the repository uses, and calls them over the network. It does not raise if a
system fails: it returns the task as it was named, and the ``TaskError`` to show to the user.

A new system is a module with the members of :class:`~gittraj.tasks.system.System`, and a line in
:data:`~gittraj.tasks.system.TASKS`.
"""
