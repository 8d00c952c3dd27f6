"""The comment on a pull request."""
