"""A mail as it lies in a mailbox: its bytes as received, and the parsed mail."""

from dataclasses import dataclass

from modules.email.parsing.reader import ReadMail

_MAIL = "message/rfc822"


@dataclass(frozen=True, slots=True)
class Original:
    """`raw` holds the bytes that signatures are checked on."""

    raw: bytes
    read: ReadMail

    @property
    def at_issue(self) -> bytes:
        """The mail at issue: the one that was forwarded whole, or else the mail itself."""
        files = zip(self.read.mail.attachments, self.read.files, strict=True)
        return next((data for file, data in files if file.media_type == _MAIL), self.raw)
