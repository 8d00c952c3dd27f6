"""Reads OpenCode's database, its older folder of files, its export, and the output of ``opencode run``."""
