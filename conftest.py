"""Fixtures for every test: the servers that the suite starts and stops by itself."""

pytest_plugins = ["tests.services.plugin"]
