"""What is done about a mail with a calendar: only a live invitation whose time is known is offered to be answered."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.conftest import Butler
from tests.modules.email.test_invites import OLA
from tests.modules.email.test_parse_calendar import calendar

ME = "me@home.example"
BUTTONS = "offer [Accept] · [Maybe] · [Decline] · [Nothing]"
TIME = "Friday 12 June 2026, 13:00 to 14:00"
UNCLEAR = "It is not clear whether it takes place"


@pytest.fixture(autouse=True)
def london(tmp_path: Path) -> None:
    (tmp_path / "butler.toml").write_text('[butler]\ntimezone = "Europe/London"\n')


async def shown(butler: Butler, tmp_path: Path, raws: Sequence[bytes]) -> list[str]:
    """What the person sees of each mail, on one line."""
    (tmp_path / "dns.json").write_text('{"txt": {}}')
    files = [tmp_path / f"mail-{number}.eml" for number in range(len(raws))]
    for file, raw in zip(files, raws, strict=True):
        file.write_bytes(raw)
    args = ("--dns", tmp_path / "dns.json", "--owner", ME)
    result = await butler("mail", "inspect", *files, *args, COLUMNS="400")
    assert result.exit_code == 0, result.output
    seen = re.split(r"─+ \S+mail-\d+\.eml ─+", result.stdout)[1:]
    assert len(seen) == len(raws)
    return [" ".join(one.split()) for one in seen]


def passed_on(part: bytes, kind: str = "text/calendar", method: str = "", name: str = "invite.ics") -> bytes:
    """A mail by which the owner passes a file on, without a word."""
    said = f"; method={method}" if method else ""
    head = (
        f"From: {ME}\r\nSubject: Fwd: Budget review\r\n"
        'Content-Type: multipart/mixed; boundary="o"\r\n\r\n--o\r\nContent-Type: text/plain\r\n\r\n\r\n--o\r\n'
        f"Content-Type: {kind}{said}\r\nContent-Disposition: attachment; filename={name}\r\n\r\n"
    )
    return head.encode() + part + b"\r\n--o--\r\n"


def review(*lines: str, method: str = "REQUEST", attendee: str = "PARTSTAT=NEEDS-ACTION", zone: str = "") -> bytes:
    zone = zone or "Europe/Berlin"
    return calendar(
        "UID:u1",
        "SUMMARY:Budget review",
        f"DTSTART;TZID={zone}:20260612T140000",
        f"DTEND;TZID={zone}:20260612T150000",
        f"ORGANIZER:mailto:{OLA}",
        f"ATTENDEE;{attendee};CN=Anna:mailto:anna@friends.example",
        f"ATTENDEE:mailto:{ME}",
        *lines,
        method=method,
    )


async def test_a_live_invitation_is_offered_to_be_answered(butler: Butler, tmp_path: Path) -> None:
    one = "RECURRENCE-ID;TZID=Europe/Berlin:20260612T140000"
    raws = [passed_on(part) for part in (review(), review("STATUS:TENTATIVE"), review("STATUS:CONFIRMED"), review(one))]
    seen = await shown(butler, tmp_path, raws)
    assert all(BUTTONS in one for one in seen)
    assert all(f"Event Budget review, {TIME} " in one for one in seen[:-1])
    assert f"Event Only this one of a series, Budget review, {TIME} " in seen[-1]


async def test_what_is_no_live_invitation_says_what_it_is_and_is_not_offered(butler: Butler, tmp_path: Path) -> None:
    cancelled = "Cancelled, so it does not take place"
    one, following = "RECURRENCE-ID:20260612T120000Z", "RECURRENCE-ID;RANGE=THISANDFUTURE:20260612T120000Z"
    cases = [
        (review(method="CANCEL"), cancelled),
        (review("STATUS:CANCELLED"), cancelled),
        (review("STATUS:cancelled"), cancelled),
        (review("STATUS:CANCELLED", method="PUBLISH"), cancelled),
        (review("STATUS:CANCELLED").replace(b"METHOD:REQUEST\r\n", b""), cancelled),
        (review("STATUS:X-GONE"), UNCLEAR),
        (review(method="X-OTHER"), UNCLEAR),
        (review(method="COUNTER"), "A proposal to change it, not an invitation"),
        (review(method="DECLINECOUNTER"), "Your proposal to change it was declined"),
        (review(method="REFRESH"), "Somebody asks to be sent the invitation again"),
        (review(method="PUBLISH"), "An announcement, which asks for no answer"),
        (review(method="ADD"), "Added to a series; to be answered in your calendar"),
        (review(one, method="CANCEL"), f"{cancelled} · Only this one of a series"),
        (review(following), "This and all later ones of a series"),
        (review(method="REPLY", attendee="PARTSTAT=DECLINED"), "An answer: declined by Anna"),
        (review(method="REPLY", attendee="PARTSTAT=ACCEPTED"), "An answer: accepted by Anna"),
        (review(method="REPLY", attendee="PARTSTAT=TENTATIVE"), "An answer: Anna may come"),
        (review(method="REPLY", attendee="PARTSTAT=DELEGATED"), "An answer: Anna sends somebody else"),
        (review(method="REPLY", attendee="PARTSTAT=X-ELSE"), "An answer by Anna"),
    ]
    for seen, (_, said) in zip(
        await shown(butler, tmp_path, [passed_on(part) for part, _ in cases]), cases, strict=True
    ):
        assert f"Event {said}, Budget review, {TIME} " in seen
        assert "[Accept]" not in seen


async def test_a_mail_that_says_one_thing_and_its_calendar_another_is_not_offered(
    butler: Butler, tmp_path: Path
) -> None:
    same, other = await shown(butler, tmp_path, [passed_on(review(), method=said) for said in ("request", "CANCEL")])
    assert BUTTONS in same
    assert f"Event {UNCLEAR}, Budget review" in other
    assert "[Accept]" not in other


async def test_a_zone_that_is_not_certain_is_named_and_nothing_is_offered(butler: Butler, tmp_path: Path) -> None:
    zones = [
        "(UTC-05:00) Eastern Time (US & Canada)",
        "(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna",
        "tzone://Microsoft/Custom",
        "Customized Time Zone",
        "GMT-5",
        "localtime",
        "UTC+25",
    ]
    raws = [passed_on(review(zone=zone)) for zone in zones]
    raws.append(passed_on(review(zone='"(UTC-05:00) Eastern Time (US & Canada)"')))
    for seen, zone in zip(await shown(butler, tmp_path, raws), [*zones, zones[0]], strict=True):
        time = "Friday 12 June 2026, 14:00 to 15:00"
        assert f"Event Budget review, {time}, in a time zone that I do not know (“{zone}”) " in seen
        assert "[Accept]" not in seen


async def test_a_zone_that_is_certain_is_read_whatever_its_name_looks_like(butler: Butler, tmp_path: Path) -> None:
    cases = {
        "GMT-0500": "20:00 to 21:00",
        "UTC+05:30": "09:30 to 10:30",
        "UTC-3": "18:00 to 19:00",
        "america/new_york": "19:00 to 20:00",
        "tzone://Microsoft/Utc": "15:00 to 16:00",
        "Eastern Standard Time": "19:00 to 20:00",
        "w. europe standard time": "13:00 to 14:00",
        "/softwarestudio.org/Olson_20011030_5/America/New_York": "19:00 to 20:00",
    }
    raws = [passed_on(review(zone=zone)) for zone in cases]
    for seen, time in zip(await shown(butler, tmp_path, raws), cases.values(), strict=True):
        assert f"Event Budget review, Friday 12 June 2026, {time} " in seen
        assert BUTTONS in seen


async def test_calendars_and_mails_that_are_declared_to_be_anything_are_opened(butler: Butler, tmp_path: Path) -> None:
    kinds = ["application/octet-stream", "application/x-download", "text/plain"]
    inner = b"From: Anna <anna@friends.example>\r\nSubject: Dinner\r\nMIME-Version: 1.0\r\n\r\nAt eight, at Rosa's.\r\n"
    note = b"From: the kitchen\r\nTo: all\r\n\r\nThe soup is out.\r\n"
    raws = [passed_on(review(), kind) for kind in kinds]
    raws += [passed_on(inner, "application/octet-stream", name=name) for name in ("dinner.eml", "dinner", "dinner.EML")]
    raws.append(passed_on(note, "text/plain", name="note.txt"))
    *seen, plain = await shown(butler, tmp_path, raws)
    for one in seen[:3]:
        assert f"Event Budget review, {TIME} " in one
        assert BUTTONS in one
    for one in seen[3:]:
        assert "Forwarded from Anna <anna@friends.example> subject Dinner" in one
        assert "text At eight, at Rosa's." in one
    assert "Forwarded from" not in plain
