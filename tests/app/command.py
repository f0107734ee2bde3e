"""The command `butler` as a process of its own."""

import os
import subprocess
import sys


def argv(*arguments):
    """What runs a command; without the current folder, which may have a `config` and `modules` of its own."""
    return [sys.executable, "-P", "-m", "butler.cli.start", *arguments]


def command(*arguments, **environment):
    """Run a command to its end."""
    return subprocess.run(
        argv(*arguments), env={**os.environ, **environment}, capture_output=True, text=True, timeout=60, check=False
    )
