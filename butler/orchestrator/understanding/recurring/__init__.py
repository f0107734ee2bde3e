"""Rules of recurrence, out of words."""
