"""Opens password-protected Office files, as encrypted by programs since 2010 ("agile" encryption)."""

import base64
import binascii
import hashlib
import hmac
import struct
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from butler.agents.parser.blocks import EncryptedError, damaged, unsupported
from butler.agents.parser.ole import Container
from butler.agents.parser.package import safe_xml
from butler.contract.speech import phrase, say

_DATA = "{http://schemas.microsoft.com/office/2006/encryption}keyData"
_KEY = "{http://schemas.microsoft.com/office/2006/keyEncryptor/password}encryptedKey"
_VERIFIER, _VERIFIER_HASH = bytes.fromhex("fea7d2763b4b9e79"), bytes.fromhex("d7aa0f6d3061344e")
_FILE_KEY = bytes.fromhex("146e0be7abacd0d6")
_AGILE = (4, 4)
_MOST_SPINS = 2_000_000
_SEGMENT = 4096
_FILLER = b"\x36"


def is_protected(container: Container) -> bool:
    """Return whether a container holds an encrypted file."""
    return "EncryptedPackage" in container.names


def opened(container: Container, password: str | None) -> bytes:
    """Decrypt the package. Raise `UnreadableError`, or `EncryptedError` without the right password."""
    if not password:
        raise EncryptedError(tried=False)
    info = container.stream("EncryptionInfo")
    if len(info) < 8 or struct.unpack_from("<HH", info) != _AGILE:  # noqa: PLR2004 - its versions and flags
        raise unsupported(
            say("The file is protected in an old way that is not read; save it anew without the password.")
        )
    tree = safe_xml(info[8:])
    data, key = tree.find(_DATA), next(tree.iter(_KEY), None)
    if data is None or key is None:
        raise damaged(phrase("how it is protected cannot be understood"))
    try:
        return b"".join(_segments(container.stream("EncryptedPackage"), data, _file_key(key, password)))
    except (KeyError, ValueError, binascii.Error, struct.error) as error:
        raise damaged(phrase("how it is protected cannot be understood")) from error


def _file_key(key: Element, password: str) -> bytes:
    name, salt = key.attrib["hashAlgorithm"], base64.b64decode(key.attrib["saltValue"])
    spins, length = int(key.attrib["spinCount"]), int(key.attrib["keyBits"]) // 8
    if not 0 <= spins <= _MOST_SPINS:
        raise ValueError("too many rounds")
    hashed = _hash(name, salt + password.encode("utf-16-le"))
    for spin in range(spins):
        hashed = _hash(name, struct.pack("<I", spin) + hashed)

    def secret(purpose: bytes, attribute: str) -> bytes:
        derived = _hash(name, hashed + purpose)[:length].ljust(length, _FILLER)
        return _decrypted(derived, salt, base64.b64decode(key.attrib[attribute]))

    verifier = secret(_VERIFIER, "encryptedVerifierHashInput")[: int(key.attrib["saltSize"])]
    expected = secret(_VERIFIER_HASH, "encryptedVerifierHashValue")[: int(key.attrib["hashSize"])]
    if not hmac.compare_digest(_hash(name, verifier), expected):
        raise EncryptedError(tried=True)
    return secret(_FILE_KEY, "encryptedKeyValue")[:length]


def _segments(package: bytes, data: Element, key: bytes) -> Iterator[bytes]:
    name, salt = data.attrib["hashAlgorithm"], base64.b64decode(data.attrib["saltValue"])
    block = int(data.attrib["blockSize"])
    (rest,) = struct.unpack_from("<Q", package)
    for number, at in enumerate(range(8, len(package), _SEGMENT)):
        vector = _hash(name, salt + struct.pack("<I", number))[:block].ljust(block, _FILLER)
        segment = package[at : at + _SEGMENT]
        plain = _decrypted(key, vector, segment[: len(segment) // 16 * 16])[:rest]
        rest -= len(plain)
        yield plain


def _hash(name: str, data: bytes) -> bytes:
    return hashlib.new(name.replace("-", "").lower(), data).digest()


def _decrypted(key: bytes, vector: bytes, data: bytes) -> bytes:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes  # noqa: PLC0415 - only for these

    decryptor = Cipher(algorithms.AES(key), modes.CBC(vector)).decryptor()
    return decryptor.update(data) + decryptor.finalize()
