"""Reads the server's answers to one command as they stream in, however the network cuts them.

An answer is a line and its literals. Many large ones pass through here, so each byte is looked at once.
"""

import re

LARGEST_LITERAL = 64 * 1024 * 1024  # bytes
_LITERAL = re.compile(rb"\{(\d+)\}$")
_TAGGED = re.compile(rb"(\S+) (OK|NO|BAD)\b", re.IGNORECASE)


class TooLargeError(Exception):
    """The server announced more than fits."""


class AnswerReader:
    """Collects the untagged answers until the one that bears the tag."""

    def __init__(self, tag: str, largest: int = LARGEST_LITERAL) -> None:
        self.tag = tag
        self._largest = largest
        self._data = bytearray()
        self._text = b""
        self._literal: bytes | None = None
        self._awaited = 0
        self.answers: list[tuple[bytes, bytes | None]] = []
        """Each without the `* ` before it and the literals within; and the last literal."""
        self.result = ""
        """`OK`, `NO` or `BAD` once the command is answered."""
        self.last_line = b""

    def feed(self, data: bytes) -> bytes:
        """Take what came in; what follows the end of the command is given back. Raises `TooLargeError`."""
        self._data += data
        at = 0
        while not self.result:
            if self._awaited:
                if len(self._data) - at < self._awaited:
                    break
                self._literal = bytes(self._data[at : at + self._awaited])
                at += self._awaited
                self._awaited = 0
            end = self._data.find(b"\r\n", at)
            if end < 0:
                break
            self._line(bytes(self._data[at:end]))
            at = end + 2
        del self._data[:at]
        return bytes(self._data) if self.result else b""

    def _line(self, line: bytes) -> None:
        self._text += line
        if line.endswith(b"}") and (literal := _LITERAL.search(line)):
            self._awaited = int(literal[1])
            self._literal = b""
            if self._awaited > self._largest:
                raise TooLargeError
            return
        text, literal_data = self._text, self._literal
        self._text, self._literal = b"", None
        if text.startswith(b"* "):
            self.answers.append((text[2:], literal_data))
        elif (tagged := _TAGGED.match(text)) and tagged[1] == self.tag.encode():
            self.result, self.last_line = tagged[2].decode("ascii").upper(), text
