"""What a process that reads strangers' files cannot do: grow, run on, write, touch other programs, reach the network.

The kernel holds it: resource limits, and a seccomp filter where there is one (Linux on x86-64 and ARM64). An audit hook
says the same to Python code everywhere.
"""

import ctypes
import platform
import resource
import signal
import struct
import sys
from typing import Any, NamedTuple

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
"""Let it pass; fail with EPERM; fail with ENOSYS, upon which the C library takes the older call."""
_CALL, _MACHINE, _FIRST_ARGUMENT = 0, 4, 16
"""Offsets in the kernel's `struct seccomp_data`."""
_CLONE_THREAD = 0x00010000
_X32 = 0x40000000
"""Set in the number of a call of x86-64's other interface, which would pass under any number that is refused."""
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


def bound(memory_mb: int) -> None:
    """Hold this process, from now on and for good."""
    memory = memory_mb * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    confine()
    sys.addaudithook(_refuse)


def allow_seconds(seconds: float) -> None:
    """Let it compute no longer than this from now on, on all processors together."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


def give_memory_back_early() -> None:
    """Have freed memory returned at once: slower for small things, far smaller for large ones, such as pictures."""
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "mallopt"):
        for option in (_MMAP_THRESHOLD, _TRIM_THRESHOLD):
            libc.mallopt(option, 65_536)


def _refuse(event: str, _: tuple[Any, ...]) -> None:
    if event.startswith(_REFUSED_EVENTS):
        raise PermissionError(f"{event} is not for a process that reads files")


def confine() -> bool:
    """Have the kernel hold this process, and end it with the one that started it.

    False where this kernel or processor has no filter, and an audit hook has to do.
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
    """Each step: code, how far to jump if true, if false, operand; a jump counts the steps that it leaves out."""
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
        # A thread is let pass, a new process is not.
        (_JUMP_EQUAL, 0, 3, calls.clone),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_JUMP_SET, 1, 0, _CLONE_THREAD),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)
