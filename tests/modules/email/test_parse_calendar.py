"""The event of a calendar part: its times, who invites whom, and calendars that are broken or mean harm."""

import time
from email import message_from_bytes

import pytest

from modules.email.parsing.calendar import LARGEST, MOST_ATTENDEES, event_of
from modules.email.parsing.parsed import Address, Event
from tests.support.corpora import MAILS, rows


def calendar(*lines: str, method: str = "REQUEST", before: str = "") -> bytes:
    """A calendar with one event of these lines."""
    event = "\r\n".join(["BEGIN:VEVENT", *lines, "END:VEVENT"])
    head = f"BEGIN:VCALENDAR\r\nPRODID:-//x//EN\r\nVERSION:2.0\r\nMETHOD:{method}\r\n{before}"
    return f"{head}{event}\r\nEND:VCALENDAR\r\n".encode()


def event(*lines: str, before: str = "") -> Event:
    found = event_of(calendar("UID:u1", *lines, before=before))
    assert found is not None
    return found


def times(*lines: str, before: str = "") -> tuple[str, str]:
    found = event(*lines, before=before)
    return found.starts, found.ends


def zone(tzid: str, rule: str = "", offset: str = "+0500") -> str:
    rule = f"{rule}\r\n" if rule else ""
    standard = f"DTSTART:16010101T000000\r\n{rule}TZOFFSETFROM:{offset}\r\nTZOFFSETTO:{offset}\r\n"
    return f"BEGIN:VTIMEZONE\r\nTZID:{tzid}\r\nBEGIN:STANDARD\r\n{standard}END:STANDARD\r\nEND:VTIMEZONE\r\n"


def test_every_invitation_of_the_corpus_is_read() -> None:
    invites = [item for item in rows(MAILS / "index.jsonl") if item["category"] == "invite"]
    assert invites
    for item in invites:
        mail = message_from_bytes((MAILS / item["file"]).read_bytes())
        parts = [part for part in mail.walk() if part.get_content_type() in {"text/calendar", "application/ics"}]
        assert len(parts) == 2
        for part in parts:
            data = part.get_payload(decode=True)
            assert isinstance(data, bytes)
            found = event_of(data)
            assert found is not None, item["file"]
            assert found.method == item["expect"]["ical_method"]
            assert found.uid
            assert found.starts[10:11] == "T"


def test_an_invitation_tells_who_invites_whom_to_what() -> None:
    found = event(
        "SEQUENCE:2",
        "SUMMARY:Budget\\, and\\nmore",
        "LOCATION:Room 1\\; left",
        "DTSTART;TZID=Europe/Berlin:20250612T140000",
        "DTEND;TZID=Europe/Berlin:20250612T150000",
        "RRULE:FREQ=WEEKLY;COUNT=3",
        'ORGANIZER;CN="Ola, of planning":MAILTO:Ola@Planning.example',
        "ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN=Me:mailto:me@home.example",
        "ATTENDEE:mailto:anna@friends.example",
        "ATTENDEE:urn:uuid:5",
        "ATTENDEE:mailto:two words@friends.example",
    )
    assert found == Event(
        method="REQUEST",
        uid="u1",
        sequence=2,
        summary="Budget, and more",
        location="Room 1; left",
        starts="2025-06-12T14:00:00+02:00",
        ends="2025-06-12T15:00:00+02:00",
        rule="FREQ=WEEKLY;COUNT=3",
        organizer=Address("ola@planning.example", "Ola, of planning"),
        attendees=(Address("me@home.example", "Me"), Address("anna@friends.example")),
    )


@pytest.mark.parametrize(
    ("lines", "starts", "ends"),
    [
        (("DTSTART:20250612T140000Z", "DURATION:PT1H30M"), "2025-06-12T14:00:00+00:00", "2025-06-12T15:30:00+00:00"),
        (("DTSTART:20250612T140000", "DTEND:20250612T150000"), "2025-06-12T14:00:00", "2025-06-12T15:00:00"),
        (("DTSTART:20250612T140000Z",), "2025-06-12T14:00:00+00:00", ""),
        (("DTSTART;VALUE=DATE:20250612",), "2025-06-12", "2025-06-13"),
        (("DTSTART;VALUE=DATE:20250612", "DTEND;VALUE=DATE:20250615"), "2025-06-12", "2025-06-15"),
        (("DTSTART;VALUE=DATE:20250612", "DURATION:P2D"), "2025-06-12", "2025-06-14"),
        (("DTSTART:20250612T140000Z", "DURATION:-PT1H"), "2025-06-12T14:00:00+00:00", ""),
        (("DTSTART;TZID=W. Europe Standard Time:20250612T140000",), "2025-06-12T14:00:00+02:00", ""),
        (("DTSTART;TZID=/vendor.example/Europe/Berlin:20250612T140000",), "2025-06-12T14:00:00+02:00", ""),
        (("DTSTART;TZID=Nowhere/At_All:20250612T140000",), "2025-06-12T14:00:00", ""),
        (("DTSTART;TZID=../../etc/passwd:20250612T140000",), "2025-06-12T14:00:00", ""),
        (("DTSTART:yesterday",), "", ""),
        ((), "", ""),
    ],
)
def test_times_are_what_the_calendar_says(lines: tuple[str, ...], starts: str, ends: str) -> None:
    assert times(*lines) == (starts, ends)


def test_a_zone_that_the_calendar_brings_along_is_used_for_it_alone() -> None:
    mine = times("DTSTART;TZID=Mine:20250612T140000", before=zone("Mine"))
    assert mine == ("2025-06-12T14:00:00+05:00", "")
    assert times("DTSTART;TZID=Mine:20250612T140000") == ("2025-06-12T14:00:00", "")
    assert times("DTSTART;TZID=Mine:20250612T140000", before=zone("Mine", offset="-0300"))[0].endswith("-03:00")


def test_sc_16_a_zone_with_a_name_of_outlooks_own_is_what_the_invitation_says_of_it_and_never_utc() -> None:
    changes = [("STANDARD", "10", "+0100", "+0000"), ("DAYLIGHT", "3", "+0000", "+0100")]
    rules = "".join(
        f"BEGIN:{kind}\r\nDTSTART:16010101T020000\r\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH={month}\r\n"
        f"TZOFFSETFROM:{before}\r\nTZOFFSETTO:{after}\r\nEND:{kind}\r\n"
        for kind, month, before, after in changes
    )
    own = f"BEGIN:VTIMEZONE\r\nTZID:GMT Standard Time 1\r\n{rules}END:VTIMEZONE\r\n"
    summer, winter = (f"DTSTART;TZID=GMT Standard Time 1:2025{month}12T140000" for month in ("06", "12"))
    assert times(summer, before=own)[0] == "2025-06-12T14:00:00+01:00"
    assert times(winter, before=own)[0] == "2025-12-12T14:00:00+00:00"
    assert times(summer)[0] == "2025-06-12T14:00:00"


def test_a_well_known_zone_is_what_it_is_whatever_the_calendar_says_of_it() -> None:
    starts, _ = times("DTSTART;TZID=Europe/Berlin:20250612T140000", before=zone("Europe/Berlin"))
    assert starts == "2025-06-12T14:00:00+02:00"


@pytest.mark.parametrize("rule", ["RRULE:FREQ=SECONDLY", "RRULE;X=1:FREQ=SECONDLY", "RRULE:FREQ=YEARLY;BYSECOND=1,2"])
def test_a_zone_whose_rule_takes_forever_is_not_worked_out(rule: str) -> None:
    began = time.monotonic()
    assert times("DTSTART;TZID=Mine:20250612T140000", before=zone("Mine", rule)) == ("2025-06-12T14:00:00", "")
    assert time.monotonic() - began < 2


@pytest.mark.parametrize("tzid", ["tzone://Microsoft/Custom", "(UTC-05:00) Eastern, of ours"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_a_zone_whose_name_holds_a_colon_is_used_where_the_calendar_brings_it_along(tzid: str, quote: str) -> None:
    own = zone(tzid.replace(",", "\\,"), offset="-0500")
    read = times(f"DTSTART;TZID={quote}{tzid}{quote};X-A=1:20250612T140000", before=own)
    assert read == ("2025-06-12T14:00:00-05:00", "")
    unknown = event(f"DTSTART;X-A=1;TZID={quote}{tzid}{quote}:20250612T140000")
    assert (unknown.starts, unknown.unknown_zone) == ("2025-06-12T14:00:00", tzid)


def test_a_zone_that_is_defined_in_two_ways_or_not_at_all_costs_that_zone_only() -> None:
    both = zone("Mine") + zone("Mine", offset="-0300")
    for own in (both, "BEGIN:VTIMEZONE\r\nTZID:Mine\r\nEND:VTIMEZONE\r\n"):
        found = event("DTSTART;TZID=Mine:20250612T140000", "SUMMARY:Lunch", before=own)
        assert (found.starts, found.unknown_zone, found.summary) == ("2025-06-12T14:00:00", "Mine", "Lunch")
    twice = zone("Mine") * 2
    assert times("DTSTART;TZID=Mine:20250612T140000", before=twice)[0] == "2025-06-12T14:00:00+05:00"


def test_a_time_in_utc_and_a_day_have_no_other_zone() -> None:
    found = event("DTSTART;TZID=Ours:20250612T140000Z", "RECURRENCE-ID;VALUE=DATE;TZID=Ours:20250612")
    assert (found.starts, found.recurrence_id) == ("2025-06-12T14:00:00+00:00", "2025-06-12")
    assert found.unknown_zone == ""


def test_a_zone_is_not_lost_by_how_its_line_is_written() -> None:
    for name in ("DTSTART ", "DT START", "dtstart"):
        found = event(f"{name};TZID=Ours:20250612T140000")
        assert (found.starts, found.unknown_zone) == ("2025-06-12T14:00:00", "Ours")
    assert event(f"DTSTART;X-A={'a' * 2_000};TZID=Ours:20250612T140000").starts == ""


def test_a_line_of_blanks_takes_no_time() -> None:
    began = time.monotonic()
    assert event(f"DTSTART;TZID={' ' * 200_000}x:20250612T140000").starts == ""
    assert event(f"X-A;TZID={' ' * 200_000}x:20250612T140000").starts == ""
    assert time.monotonic() - began < 10


def test_of_a_series_the_master_counts_and_of_one_change_that_one() -> None:
    one = "BEGIN:VEVENT\r\nUID:u1\r\nRECURRENCE-ID:20250619T120000Z\r\nDTSTART:20250619T130000Z\r\nEND:VEVENT\r\n"
    series = event_of(calendar("UID:u1", "DTSTART:20250612T120000Z", "RRULE:FREQ=WEEKLY", before=one))
    assert series is not None
    assert (series.recurrence_id, series.rule, series.starts) == ("", "FREQ=WEEKLY", "2025-06-12T12:00:00+00:00")
    alone = event("RECURRENCE-ID;TZID=Europe/Berlin:20250619T140000", "DTSTART:20250619T130000Z")
    assert alone.recurrence_id == "2025-06-19T14:00:00+02:00"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"BEGIN:VCALENDAR",
        b"BEGIN:VCALENDAR\r\n" * 10_000,
        b"\xff\xfe\x00" * 100,
        b"END:VEVENT\r\nBEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n",
        b"BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:1\r\nEND:VTODO\r\nEND:VCALENDAR\r\n",
        calendar("UID:u1", "SUMMARY:" + "x" * LARGEST),
        calendar("UID:u1", *["X-A:1"] * 20_000),
    ],
)
def test_what_is_no_calendar_or_too_large_gives_no_event(data: bytes) -> None:
    assert event_of(data) is None


def test_a_line_that_is_broken_costs_that_line_only() -> None:
    found = event("SEQUENCE:two", "DTSTART;TZID:20250612T140000", "a line", "SUMMARY:Lunch", "UID:u2")
    assert (found.sequence, found.starts, found.summary, found.uid) == (0, "", "Lunch", "u1")


def test_folded_lines_and_old_charsets_are_read() -> None:
    assert event("SUMMARY:Mittag\r\n essen").summary == "Mittagessen"
    found = event_of(calendar("UID:u1", "SUMMARY:Müllers Fest").replace("ü".encode(), b"\xfc"))
    assert found is not None
    assert found.summary == "Müllers Fest"


def test_an_id_is_as_it_stands_or_not_at_all() -> None:
    for uid, read in (("a  b", "a  b"), ("x" * 501, ""), ("a\x01b", "")):
        found = event_of(calendar(f"UID:{uid}"))
        assert found is not None
        assert found.uid == read


def test_a_crowd_is_cut() -> None:
    crowd = [f"ATTENDEE:mailto:p{number}@friends.example" for number in range(MOST_ATTENDEES + 50)]
    assert len(event(*crowd).attendees) == MOST_ATTENDEES
