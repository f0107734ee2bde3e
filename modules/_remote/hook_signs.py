"""Authenticates webhook senders, in constant time. An unset secret admits nobody."""

import hashlib
import hmac
from base64 import b64decode, b64encode
from collections.abc import Mapping
from datetime import datetime

from butler.contract.hooks import HookRefusedError
from butler.contract.module import CheckResult
from butler.contract.ports import Vault

UNAUTHORIZED, BAD_REQUEST = 401, 400
TOLERANCE_S = 300
"""Seconds by which a sender's clock may differ from ours."""


def secret_of(vault: Vault, variable: str) -> str:
    """Return a secret; raise `HookRefusedError` if it is not set."""
    if value := vault.get(variable):
        return value
    raise HookRefusedError(UNAUTHORIZED, f"{variable} is not set")


def secret_check(vault: Vault, variable: str, name: str, detail: str) -> CheckResult:
    """Return the line of `butler doctor` on a webhook; `detail` is its text if the secret is set."""
    if vault.get(variable):
        return CheckResult(name, ok=True, detail=detail)
    return CheckResult(
        name,
        ok=False,
        detail=f"{variable} is not set, so nothing is let through",
        todo="write it into the secrets file as NAME=value, or set it in the environment",
    )


def same(said: str | bytes, right: str | bytes) -> bool:
    """Compare two texts in constant time."""
    return hmac.compare_digest(_bytes(said), _bytes(right))


def signature(secret: str, message: bytes, algorithm: str = "sha256", encoding: str = "hex") -> str:
    """Return an HMAC as `hex` or `base64` text."""
    made = hmac.new(secret.encode(), message, getattr(hashlib, algorithm))
    return made.hexdigest() if encoding == "hex" else b64encode(made.digest()).decode("ascii")


def check_signature(said: str, right: str, header: str) -> None:
    """Raise `HookRefusedError` if the header has no or a wrong signature."""
    if not said:
        raise HookRefusedError(UNAUTHORIZED, f"there is no {header}")
    if not same(said.strip(), right):
        raise HookRefusedError(UNAUTHORIZED, f"the signature in {header} is another; look at the secret on both sides")


def check_age(said: str, header: str, now: datetime, tolerance_s: float = TOLERANCE_S) -> None:
    """Raise `HookRefusedError` unless the text is seconds since 1970, at most `tolerance_s` from now."""
    if not said.isascii() or not said.isdigit() or len(said) > 12:  # noqa: PLR2004 - digits of any date there will be
        raise HookRefusedError(UNAUTHORIZED, f"{header} says no time")
    if abs(now.timestamp() - int(said)) > tolerance_s:
        raise HookRefusedError(UNAUTHORIZED, f"the time in {header} is too far from ours; look at the clocks")


def check_bearer(headers: Mapping[str, str], token: str) -> None:
    """Raise `HookRefusedError` if the bearer token is wrong or missing."""
    scheme, _, text = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not same(text.strip(), token):
        raise HookRefusedError(UNAUTHORIZED, "the bearer token is another, or missing")


def check_basic(headers: Mapping[str, str], username: str, password: str) -> None:
    """Raise `HookRefusedError` if the name or password is wrong or missing."""
    scheme, _, text = headers.get("authorization", "").partition(" ")
    try:
        pair = b64decode(text.strip(), validate=True) if scheme.lower() == "basic" else b""
    except ValueError:
        pair = b""
    if not same(pair, f"{username}:{password}"):
        raise HookRefusedError(UNAUTHORIZED, "the name or the password is another, or missing")


def digest(*parts: bytes) -> str:
    """Return a key for a delivery without an id of its own."""
    made = hashlib.sha256()
    for part in parts:
        made.update(len(part).to_bytes(8, "big") + part)
    return made.hexdigest()


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
