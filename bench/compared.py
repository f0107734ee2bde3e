"""An environment of its own for what some benches compare with or count by: requirements-compared.lock says what.

It is made at the first use and made again once the lock has changed. Nothing of it is imported into Butler's process.
"""

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

HOME = Path(__file__).parents[1]
LOCK = HOME / "requirements-compared.lock"
FOLDER = HOME / f"{os.environ.get('VENV', '.venv')}-compared"


def python() -> Path:
    """The interpreter of that environment, with all of it installed; raises `CalledProcessError` if that fails."""
    program, stamp = FOLDER / "bin" / "python", FOLDER / "lock.sha256"
    digest = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if is_ready():
        return program
    print(f"installing {LOCK.name} into {FOLDER.name}, once", file=sys.stderr)
    venv.create(FOLDER, clear=True, with_pip=True)
    pip = [str(program), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    subprocess.run([*pip, "--require-hashes", "-r", str(LOCK)], check=True, stdout=sys.stderr)
    stamp.write_text(digest, encoding="ascii")
    return program


def is_ready() -> bool:
    """Whether it is there as the lock says."""
    stamp = FOLDER / "lock.sha256"
    return stamp.exists() and stamp.read_text("ascii") == hashlib.sha256(LOCK.read_bytes()).hexdigest()


def packages() -> Path:
    """The folder of its packages."""
    return next((python().parents[1] / "lib").glob("python3*")) / "site-packages"


if __name__ == "__main__":
    print(python())
