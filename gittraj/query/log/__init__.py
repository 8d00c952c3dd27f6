"""Which commits a listing shows."""
