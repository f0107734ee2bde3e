"""Reads the metrics of servers: known signals and what is unusual."""
