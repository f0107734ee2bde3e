"""Times as requests say them."""
