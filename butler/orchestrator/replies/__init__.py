"""Words what plans found and did, from stored outcomes."""
