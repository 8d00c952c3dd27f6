"""How git is started, for ``gittraj.cli.common.ahead`` before all else. It imports nothing."""

BLAME = ("blame", "-w", "-C", "--porcelain", "--no-textconv", "--encoding=UTF-8")
IGNORED = ".git-blame-ignore-revs"
"""By convention, and what GitHub reads: the commits that only formatted."""
# What `git rev-parse --local-env-vars` prints, and what it would do to us:
DISTURBING = frozenset(
    (
        "GIT_DIR",  # a hook's repository, not the one we were asked about
        "GIT_WORK_TREE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_COMMON_DIR",
        "GIT_PREFIX",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_INDEX_FILE",  # in a hook often a lock file of the commit being made
        "GIT_OBJECT_DIRECTORY",  # a quarantine that git deletes
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_GRAFT_FILE",  # another history than everybody else's
        "GIT_SHALLOW_FILE",
        "GIT_REPLACE_REF_BASE",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_CONFIG",
        "GIT_CONFIG_PARAMETERS",  # `git -c name=value` of the outer command
        "GIT_CONFIG_COUNT",
        # Not "local" to git, yet each changes what our commands print or do:
        "GIT_EXTERNAL_DIFF",
        "GIT_DIFF_OPTS",  # overrides the number of context lines
        "GIT_ATTR_SOURCE",
        "GIT_NOTES_REF",
        "GIT_LITERAL_PATHSPECS",
        "GIT_GLOB_PATHSPECS",
        "GIT_NOGLOB_PATHSPECS",
        "GIT_ICASE_PATHSPECS",
        "GIT_QUARANTINE_PATH",  # update-ref refuses to work while it is set
        "GIT_REFLOG_ACTION",
    )
)
FIXED = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",  # a note belongs to the commit itself; libgit2 never substitutes either
    "GIT_NO_LAZY_FETCH": "1",  # a hook must not meet the network because an object is missing (git >= 2.45)
}
