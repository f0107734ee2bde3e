"""Checks the length of a signature's key: RSA keys of 1,024 bits can be broken for money."""

import base64
import re

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key

FEWEST_BITS = 2_048
_TAG = re.compile(rb"(?:^|;)\s*(k|p)\s*=([^;]*)")


def is_short(record: bytes) -> bool:
    """Return whether a key record holds an RSA key that is too short or cannot be read."""
    tags = {name: re.sub(rb"\s", b"", value) for name, value in _TAG.findall(record)}
    if tags.get(b"k", b"rsa").lower() != b"rsa":
        return False
    try:
        key = load_der_public_key(base64.b64decode(tags.get(b"p", b""), validate=True))
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return True
    return not isinstance(key, RSAPublicKey) or key.key_size < FEWEST_BITS
