"""Hands over mail servers' reports, in one of the owner's mailboxes, about mails that were sent from it.

The butler gets nothing else of such a mailbox: none of the mail's words, only its reports, and those are matched to
approved mails. A forged report changes only a line about a sent mail.
"""

import asyncio
import hashlib
from dataclasses import asdict
from datetime import datetime

import structlog

from butler.contract.errors import Retryable
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.mail import MailFacts, MailKind, ReportFacts
from butler.contract.names import Identity
from butler.contract.ports import InboundSink
from butler.contract.provenance import Origin, SourceKind, SourceName, Trust
from butler.contract.reasons import in_own_words
from butler.contract.speech import phrase
from modules.email.inbound import NOBODY, same_mail
from modules.email.parsing.parsed import ParsedMail
from modules.email.parsing.reader import MailReader

log = structlog.get_logger(__name__)


def is_report(media_type: str) -> bool:
    """Return whether a media type reports on another mail's delivery (RFC 6522); parameters in any order."""
    kind = media_type.lower()
    return kind.lstrip().startswith("multipart/report") and "delivery-status" in kind


async def hand_over(sink: InboundSink, reader: MailReader, account: str, raw: bytes, received_at: datetime) -> None:
    """Store the reports of a received mail; a mail without any, or a known one, changes nothing.

    Raise `Retryable` while nothing can be stored.
    """
    mail = (await reader.read(raw)).mail
    try:
        if (item := await _item(account, raw, mail, received_at)) is not None:
            await sink.put(item)
    except Retryable:
        raise
    except Exception as error:  # noqa: BLE001 - one mail that no store takes must not stop the others
        log.warning("report_left_out", account=account, kind=type(error).__name__)


async def _item(account: str, raw: bytes, mail: ParsedMail, received_at: datetime) -> Inbound | None:
    reports = tuple(ReportFacts(**asdict(one)) for one in mail.reports if one.message_id or one.mark)
    if not reports:
        return None
    # The key is made of the content, so that it survives a renumbering of the mailbox.
    key = f"mail:user:{account}:{await asyncio.to_thread(same_mail, raw)}"
    sender = mail.sender.address if mail.sender else NOBODY
    return Inbound(
        inbound_id=hashlib.sha256(key.encode()).hexdigest()[:32],
        kind=InboundKind.MAIL,
        channel="email",
        identity=Identity.USER,
        account=account,
        dedup_key=key,
        chat=f"email.user.{account}",
        sender=f"mail:{sender}",
        received_at=received_at,
        origin=Origin(
            trust=Trust.UNTRUSTED, source=key, shown_as=SourceName(kind=SourceKind.DELIVERY_REPORT, who=sender)
        ),
        mail=MailFacts(
            kind=MailKind.BOUNCE, reports=reports, answerable=False, why_not=in_own_words(phrase("is a report"))
        ),
    )
