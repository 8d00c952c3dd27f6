"""Why lines are as they are."""
