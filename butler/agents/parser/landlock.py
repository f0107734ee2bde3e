"""Landlock: the kernel lets this process read below some folders only, and open no connection. Linux, without root.

Uses three system calls by number, as no maintained package wraps them; they cannot be undone.
"""

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterable

_CREATE, _ADD, _RESTRICT = 444, 445, 446
"""The same on every processor."""
_VERSION, _BENEATH = 1, 1
_NO_NEW_PRIVILEGES = 38
_READ_FILE, _READ_FOLDER = 1 << 2, 1 << 3
_FILES = {1: 13, 2: 14, 3: 15, 5: 16}
"""The number of file access rights in each version; a missing version has those of the one before."""
_TCP_SINCE, _TCP = 4, 0b11
"""The rights to bind and connect."""
_SCOPE_SINCE, _SCOPE = 6, 0b11
"""The scopes of abstract sockets, and of signals to processes outside."""


def version() -> int:
    """Return the Landlock version of this kernel; 0 for none."""
    if sys.platform != "linux":
        return 0
    return max(0, _libc().syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION))


def only_read_below(folders: Iterable[str]) -> bool:
    """Limit this process to reading these paths from now on; return False if the kernel has no Landlock."""
    known = version()
    if not known:
        return False
    libc = _libc()
    files = (1 << _FILES[max(one for one in _FILES if one <= known)]) - 1
    tcp = _TCP if known >= _TCP_SINCE else 0
    scope = _SCOPE if known >= _SCOPE_SINCE else 0
    # The kernel accepts a shorter structure from an older version.
    rules = struct.pack("=QQQ", files, tcp, scope)[: 24 if scope else 16 if tcp else 8]
    ruleset: int = libc.syscall(_CREATE, rules, ctypes.c_size_t(len(rules)), 0)
    if ruleset < 0:
        return False
    try:
        for folder in folders:
            _allow(libc, ruleset, folder)
        if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
            return False
        return libc.syscall(_RESTRICT, ruleset, 0) == 0
    finally:
        os.close(ruleset)


def _allow(libc: ctypes.CDLL, ruleset: int, path: str) -> None:
    """Allow a path; a missing path allows nothing."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rights = _READ_FILE | (_READ_FOLDER if stat.S_ISDIR(os.fstat(place).st_mode) else 0)
        libc.syscall(_ADD, ruleset, _BENEATH, struct.pack("=Qi", rights, place), 0)
    finally:
        os.close(place)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
