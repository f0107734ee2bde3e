"""What is personal is left out of the log, whoever logs it."""

from butler.guardrails.redaction import masked
from butler.logs import CUT, Redactor


def line(redactor: Redactor, **values: object) -> dict[str, object]:
    return dict(redactor(None, "info", dict(values)))


def test_numbers_and_addresses_are_told_by_their_kind() -> None:
    redactor = Redactor(["a-secret-token"])
    redactor.mask(masked)
    said = line(redactor, event="mail from anna@friends.example", to=["+44 20 7946 0958"], key="a-secret-token", n=3)
    assert said == {"event": "mail from [EMAIL]", "to": "['[PHONE]']", "key": CUT, "n": 3}


def test_without_the_setting_a_log_says_whom_it_is_about() -> None:
    assert line(Redactor(), account="me@home.example") == {"account": "me@home.example"}


def test_the_time_and_the_level_stay_as_they_are() -> None:
    redactor = Redactor()
    redactor.mask(lambda _: "gone")
    said = line(redactor, timestamp="2026-03-05T12:00:00.123456Z", level="info", event="started", port="8025")
    assert said == {"timestamp": "2026-03-05T12:00:00.123456Z", "level": "info", "event": "started", "port": "gone"}


def test_what_could_not_be_looked_at_is_not_logged() -> None:
    def fails(_: str) -> str:
        raise RuntimeError

    redactor = Redactor()
    redactor.mask(fails)
    assert line(redactor, to="anna@friends.example") == {"to": CUT}
