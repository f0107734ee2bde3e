"""Reads the server's answers to one command as they stream in, in chunks of any size.

An answer is a line and its literals. Many are large, so no byte is read twice.
"""

import re

LARGEST_LITERAL = 64 * 1024 * 1024  # bytes
_LITERAL = re.compile(rb"\{(\d+)\}$")
_TAGGED = re.compile(rb"(\S+) (OK|NO|BAD)\b", re.IGNORECASE)


class TooLargeError(Exception):
    """The server announced a literal that is too large."""


class AnswerReader:
    """Collects the untagged answers up to the one with the tag."""

    def __init__(self, tag: str, largest: int = LARGEST_LITERAL) -> None:
        self.tag = tag
        self._largest = largest
        self._data = bytearray()
        self._text = b""
        self._literal: bytes | None = None
        self._awaited = 0
        self.answers: list[tuple[bytes, bytes | None]] = []
        """Each answer without its leading `* ` and its literals, and its last literal."""
        self.result = ""
        """`OK`, `NO` or `BAD` once the command is answered."""
        self.last_line = b""

    def feed(self, data: bytes) -> bytes:
        """Consume received bytes; return those after the end of the command. Raise `TooLargeError`."""
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
