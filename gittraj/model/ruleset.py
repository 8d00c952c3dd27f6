"""The version of the redaction rules, which records carry. Readers compare it, and load no rule."""

RULESET = "19"
