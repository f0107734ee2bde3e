"""Sandboxes the process that reads untrusted files: limited memory and time, no writing, no other programs, no network.

The kernel enforces the limits: resource limits, and on Linux a seccomp filter (x86-64 and ARM64) and Landlock, which
lets the process read only its own program and libraries. An audit hook enforces the same for Python code on every
system.
"""

import ctypes
import os
import platform
import resource
import signal
import struct
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from butler.agents.parser.landlock import only_read_below

_REFUSED_EVENTS = (
    "socket.",
    "subprocess.",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.spawn",
    "os.system",
    "pty.spawn",
)
_LOAD, _JUMP_EQUAL, _JUMP_SET, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _REFUSE, _UNKNOWN = 0x7FFF0000, 0x00050001, 0x00050026
"""Allow the call; fail with EPERM; fail with ENOSYS, upon which the C library takes the older call."""
_CALL, _MACHINE, _FIRST_ARGUMENT = 0, 4, 16
"""Offsets in the kernel's `struct seccomp_data`."""
_CLONE_THREAD = 0x00010000
_X32 = 0x40000000
"""Set in the call numbers of x86-64's x32 interface, which would otherwise bypass the refused numbers."""
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER, _PARENT_DEATH_SIGNAL = 38, 22, 2, 1


class _Calls(NamedTuple):
    machine: int
    clone: int
    refused: tuple[int, ...]


_CLONE3 = 435
_CALLS = {
    # socket, connect, bind, fork, vfork, execve, kill, ptrace, tkill, process_vm_readv, process_vm_writev,
    # execveat, pidfd_send_signal, io_uring_setup, pidfd_open, pidfd_getfd
    "x86_64": _Calls(0xC000003E, 56, (41, 42, 49, 57, 58, 59, 62, 101, 200, 310, 311, 322, 424, 425, 434, 438)),
    # socket, bind, connect, execve, kill, tkill, ptrace, process_vm_readv, process_vm_writev,
    # execveat, pidfd_send_signal, io_uring_setup, pidfd_open, pidfd_getfd
    "aarch64": _Calls(0xC00000B7, 220, (198, 200, 203, 221, 129, 130, 117, 270, 271, 281, 424, 425, 434, 438)),
}


_CODE_MB = 50
"""The part of the memory limit for the program and its libraries, which the kernel's limit does not count."""
_SHARE_TO_READ = 0.85
"""The share of a file's time for reading: the rest is for cutting and returning the text."""
_AGAIN_S = 0.5
_PROGRAM = "butler"
"""The folder of this package, next to which the owner may keep any files."""
_SYSTEM = (
    *("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache"),
    *("/usr/share/fonts", "/usr/local/share/fonts", "/etc/fonts", "/usr/share/zoneinfo", "/etc/localtime"),
    *("/dev/null", "/dev/urandom", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu", "/sys/fs/cgroup"),
)


class TimeUpError(BaseException):
    """The time for a file is used up; a `BaseException`, so that no `except Exception` of a library catches it."""


def bound(memory_mb: int) -> None:
    """Confine this process permanently."""
    memory = (memory_mb - _CODE_MB) * 1024 * 1024
    libraries = _libraries()
    if not only_read_below(libraries):
        _only_python_reads_below(libraries)
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    confine()
    sys.addaudithook(_refuse)


def _libraries() -> list[str]:
    """Return the paths of Python and its libraries, without the folder that contains the program."""
    root = Path(__file__).parents[3]
    paths = [path for path in sys.path if path and Path(path) != root]
    return [str(root / _PROGRAM), *paths, str(Path(sys.base_prefix) / "lib"), *_SYSTEM]


def _only_python_reads_below(paths: list[str]) -> None:
    """Limit reading as Landlock does, but only for files that Python code opens, not for those that libraries open."""

    def refuse(event: str, args: tuple[Any, ...]) -> None:
        path = args[0] if event == "open" else None
        if isinstance(path, str | bytes):
            real = Path(os.path.realpath(os.fsdecode(path)))
            if not any(real.is_relative_to(allowed) for allowed in paths):
                raise PermissionError("other files are not for a process that reads files")

    sys.addaudithook(refuse)


@contextmanager
def clock(seconds: float) -> Generator[None]:
    """Limit the processor time from now on, over all processors; the kernel ends the process at the limit.

    A while before that, raise `TimeUpError`, so that the text read until then can be returned.
    """
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
    signal.signal(signal.SIGPROF, _time_up)
    # Signal repeatedly: the first exception may be lost, for example in a destructor.
    signal.setitimer(signal.ITIMER_PROF, seconds * _SHARE_TO_READ, _AGAIN_S)
    try:
        yield
    finally:
        stop_clock()


def stop_clock() -> None:
    """Stop raising `TimeUpError`; the kernel's limit stays."""
    signal.setitimer(signal.ITIMER_PROF, 0)


def _time_up(*_: object) -> None:
    raise TimeUpError


def give_memory_back_early() -> None:
    """Return freed memory to the system immediately: slower for small objects, saves much for large ones (pictures)."""
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "mallopt"):
        for option in (_MMAP_THRESHOLD, _TRIM_THRESHOLD):
            libc.mallopt(option, 65_536)


def _refuse(event: str, _: tuple[Any, ...]) -> None:
    if event.startswith(_REFUSED_EVENTS):
        raise PermissionError(f"{event} is not for a process that reads files")


def confine() -> bool:
    """Have the kernel confine this process, and end it with its parent.

    Return False if this kernel or processor has no filter, so that only the audit hook protects.
    """
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PARENT_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
    calls = _CALLS.get(platform.machine())
    if calls is None:
        return False
    program = _program(calls)
    buffer = ctypes.create_string_buffer(program)
    header = ctypes.create_string_buffer(struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer)))
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return False
    return libc.prctl(_SECCOMP, _FILTER, header, 0, 0) == 0


def _program(calls: _Calls) -> bytes:
    """Build the filter. Each step: code, jump if true, jump if false, operand; a jump counts the steps it skips."""
    steps = [
        (_LOAD, 0, 0, _MACHINE),
        (_JUMP_EQUAL, 1, 0, calls.machine),
        (_RETURN, 0, 0, _REFUSE),
        (_LOAD, 0, 0, _CALL),
        (_JUMP_SET, 0, 1, _X32),
        (_RETURN, 0, 0, _REFUSE),
    ]
    for call in calls.refused:
        steps += [(_JUMP_EQUAL, 0, 1, call), (_RETURN, 0, 0, _REFUSE)]
    steps += [
        (_JUMP_EQUAL, 0, 1, _CLONE3),
        (_RETURN, 0, 0, _UNKNOWN),
        # Allow a new thread, but no new process.
        (_JUMP_EQUAL, 0, 3, calls.clone),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_JUMP_SET, 1, 0, _CLONE_THREAD),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)
