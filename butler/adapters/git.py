"""Queries version control, if there is any."""

import subprocess
from pathlib import Path


def git(folder: Path, *words: str) -> str | None:
    """Return git's output in this folder; None if it fails."""
    try:
        asked = subprocess.run(  # noqa: S603 - fixed words, and paths of our own
            ["git", *words],  # noqa: S607 - git from the person's own PATH
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return asked.stdout if asked.returncode == 0 else None
