"""Shares records and segments with remotes: fetched into refs of their own, merged by union, pushed without
force.

``remote`` parses the remote's name, ``consent`` decides whether to push, ``network`` calls git, ``join`` and
``purge_merge`` merge two tips, ``traces`` clears what a purge leaves behind, ``outgoing`` lists what a push
would publish, ``transfer`` fetches and pushes. The room must not interpret a record, and never prompts: every
call over the network has a time-out.
"""
