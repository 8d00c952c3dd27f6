"""The pull request bot, which comments on a pull request. It imports gittraj; gittraj never imports it."""
