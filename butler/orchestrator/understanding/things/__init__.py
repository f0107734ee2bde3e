"""Which of the things that were shown or spoken of is meant."""
