"""Time-outs and retries of calls through the owner's account."""

from butler.contract.integration import RetryPolicy

READS = RetryPolicy(max_attempts=3, backoff_s=0.2, max_backoff_s=0.9)
"""A wait that Telegram demands is reported to the caller, and never slept through."""
TIMEOUT_MS = 30_000
FILES_TIMEOUT_MS = 600_000
"""Fifty megabytes over a slow line."""
