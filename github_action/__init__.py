"""The pull request bot: comments on a pull request. Imports gittraj, never the reverse."""
