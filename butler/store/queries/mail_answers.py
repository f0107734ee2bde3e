"""Automatic answers by mail, counted before they leave: header checks alone do not stop two machines."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from butler.store.tables import mail_answers

WINDOW = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Caps:
    """The daily limits of answers: in one thread, to one address, and to one domain."""

    thread: int
    correspondent: int
    domain: int
    thread_for_good: bool = False
    """Whether a thread at its limit gets no answer on other days either."""


def note(connection: sa.Connection, key: str, *, correspondent: str, thread: str, caps: Caps, now: datetime) -> str:
    """Count an answer; return an empty text if it may leave, else the reason. A known key is the same answer again."""
    if connection.execute(sa.select(mail_answers.c.key).where(mail_answers.c.key == key)).first():
        return ""
    domain = correspondent.rpartition("@")[2]
    limits = (
        (mail_answers.c.thread, thread, caps.thread, "this conversation"),
        (mail_answers.c.correspondent, correspondent, caps.correspondent, correspondent),
        (mail_answers.c.domain, domain, caps.domain, f"addresses at {domain}"),
    )
    for column, value, most, named in limits:
        for_good = caps.thread_for_good and column is mail_answers.c.thread
        query = sa.select(sa.func.count()).where(column == value)
        if not for_good:
            query = query.where(mail_answers.c.at > now - WINDOW)
        if connection.execute(query).scalar_one() >= most:
            many = f"{most} automatic answer{'s' if most > 1 else ''}{'' if for_good else ' within a day'}"
            return f"{named} had {many}, which is as many as may be"
    row = {"key": key, "correspondent": correspondent, "domain": domain, "thread": thread, "at": now}
    connection.execute(mail_answers.insert(), row)
    return ""


def progress(connection: sa.Connection, key: str) -> dict[str, str]:
    """Return the progress of a counted answer."""
    return connection.execute(sa.select(mail_answers.c.progress).where(mail_answers.c.key == key)).scalar_one()


def note_progress(connection: sa.Connection, key: str, notes: Mapping[str, str]) -> dict[str, str]:
    """Add to the notes of an answer; return all of them."""
    merged = {**progress(connection, key), **notes}
    connection.execute(mail_answers.update().where(mail_answers.c.key == key).values(progress=merged))
    return merged
