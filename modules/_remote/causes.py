"""Finds the cause hidden below a vendor client's exception, and reports a missing client package."""

import socket
import ssl
from collections.abc import Iterator
from importlib.util import find_spec

from butler.contract.errors import ConfigError

_TELLING = (ssl.SSLError, socket.gaierror, ConnectionRefusedError)


def root_of(error: Exception) -> Exception:
    """Return the first error in the chain that explains the lost connection, or the error itself if none does."""
    return next((one for one in _below(error) if isinstance(one, _TELLING)), error)


def require(package: str, module: str) -> None:
    """Raise `ConfigError` if a package is not installed; does not import it."""
    if find_spec(package) is None:
        raise ConfigError(f"[modules.{module}] needs a package that is not installed: install `butler[remote]`")


def _below(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop(0)
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        reasons = (*one.args, getattr(one, "reason", None))
        waiting += [one.__cause__, one.__context__, *(arg for arg in reasons if isinstance(arg, BaseException))]
