"""`butler reminders` lists what is to come; its `preview` shows what would be made of words, and does nothing."""

import json

NOW = "2026-03-04T10:30"


async def previews(butler, *texts: str, zone: str = "Europe/Berlin") -> list[dict]:
    result = await butler("reminders", "preview", *texts, "--zone", zone, "--now", NOW, "--json")
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


async def test_words_become_the_next_five_times_with_their_offset(butler):
    (found,) = await previews(butler, "remind me every last Sunday at 02:30 to look up")
    assert found["text"] == "Look up"
    assert found["fires"] == [
        "2026-03-29T03:00:00+02:00",
        "2026-04-26T02:30:00+02:00",
        "2026-05-31T02:30:00+02:00",
        "2026-06-28T02:30:00+02:00",
        "2026-07-26T02:30:00+02:00",
    ]


async def test_each_text_has_a_line_of_its_own(butler):
    once, again, none = await previews(butler, "tomorrow at 9", "jeden ersten Montag um 9", "every day at 5")
    assert once["fires"] == ["2026-03-05T09:00:00+01:00"]
    assert again["fires"][0] == "2026-04-06T09:00:00+02:00"
    assert (none["fires"], none["unclear"]) == ([], "In the afternoon or in the morning?")


async def test_a_day_of_the_week_is_one_day_and_its_plural_is_all_of_them(butler):
    day, days, every = await previews(butler, "Monday at 9", "Mondays at 9", "montags um 9")
    assert day["fires"] == ["2026-03-09T09:00:00+01:00"]
    assert days["fires"][:2] == every["fires"][:2] == ["2026-03-09T09:00:00+01:00", "2026-03-16T09:00:00+01:00"]


async def test_the_zone_is_the_one_that_is_said(butler):
    """SC-07: an hour is one of the clock on the wall where the person is."""
    (found,) = await previews(butler, "at 19:30", zone="Asia/Bangkok")
    assert found["fires"] == ["2026-03-04T19:30:00+07:00"]


async def test_a_time_of_the_same_day_stays_today(butler):
    """SC-10."""
    (found,) = await previews(butler, "today at 15:00")
    assert found["fires"] == ["2026-03-04T15:00:00+01:00"]


async def test_people_read_it_in_words(butler):
    result = await butler("reminders", "preview", "every day at 8 and 20", "--zone", "Europe/Berlin", "--now", NOW)
    assert "every day at 08:00 and 20:00 (Europe/Berlin)" in result.stdout
    assert "Wednesday 4 March 2026 at 20:00" in result.stdout


async def test_a_zone_that_there_is_not_is_refused(butler):
    result = await butler("reminders", "preview", "tomorrow at 9", "--zone", "Europe/Nowhere")
    assert result.exit_code == 1
    assert "no IANA time zone" in result.output


async def test_a_request_is_previewed_as_the_chat_reads_it(butler):
    """No other words are put before a request, so that a question is about what was said."""
    seconds, asked = await previews(butler, "remind me in 90 seconds to stir", "remind me every day at 5 to run")
    assert (seconds["text"], seconds["fires"]) == ("Stir", ["2026-03-04T10:31:30+01:00"])
    assert asked["unclear"] == "In the afternoon or in the morning?"


async def test_words_that_the_chat_takes_for_no_reminder_are_shown_as_they_have_to_be_said(butler):
    (found,) = await previews(butler, "call mum tomorrow at 9")
    assert found["read_as"] == "remind me call mum tomorrow at 9"
    assert found["fires"] == ["2026-03-05T09:00:00+01:00"]


async def test_a_time_on_another_clock_is_shown_on_ones_own(butler):
    pacific, german, french = await previews(
        butler,
        "remind me at 15:00 PST tomorrow to call Bo",
        "erinnere mich morgen um 15 Uhr New Yorker Zeit an Bo",
        "rappelle-moi demain à 15h heure de Tokyo d'appeler Bo",
    )
    assert (pacific["text"], pacific["fires"]) == ("Call Bo", ["2026-03-06T00:00:00+01:00"])
    # The reader marks the city as a place, so the clock is asked about.
    assert german["fires"] in ([], ["2026-03-05T21:00:00+01:00"])
    assert french["fires"] == ["2026-03-05T07:00:00+01:00"]
