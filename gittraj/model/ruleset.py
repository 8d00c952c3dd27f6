"""The version of the redaction rules, stored in each record: it can be compared without loading the rules."""

RULESET = "22"
