"""What Gmail's calls cost, for projects since May 2026 and for those before."""

from butler_demo.google.quota import QuotaRules

_PROJECT_PER_MINUTE = 1_200_000
_BEFORE = {
    "history.list": 2,
    "messages.list": 5,
    "messages.get": 5,
    "messages.attachments.get": 5,
    "messages.modify": 5,
    "messages.trash": 5,
    "messages.untrash": 5,
    "messages.delete": 10,
    "messages.batchModify": 50,
    "messages.batchDelete": 50,
    "messages.import": 25,
    "messages.insert": 25,
    "messages.send": 100,
    "threads.get": 10,
    "threads.list": 10,
    "threads.modify": 10,
    "threads.trash": 10,
    "threads.untrash": 10,
    "threads.delete": 20,
    "drafts.create": 10,
    "drafts.delete": 10,
    "drafts.get": 5,
    "drafts.list": 5,
    "drafts.update": 15,
    "drafts.send": 100,
    "getProfile": 1,
    "labels.get": 1,
    "labels.list": 1,
    "labels.create": 5,
    "labels.update": 5,
    "labels.patch": 5,
    "labels.delete": 5,
    "settings.sendAs.get": 1,
    "settings.sendAs.list": 1,
    "watch": 100,
    "stop": 50,
}
_SINCE = {"messages.get": 20, "threads.get": 40}  # where the new figure is not known, the old one holds


def _rules(units: dict[str, int], user_per_minute: int, project_per_day: int | None) -> QuotaRules:
    named = {f"gmail.users.{operation}": cost for operation, cost in units.items()}
    return QuotaRules(named, 5, user_per_minute, _PROJECT_PER_MINUTE, project_per_day)


GMAIL_BEFORE_MAY_2026 = _rules(_BEFORE, 15_000, None)
GMAIL_SINCE_MAY_2026 = _rules(_BEFORE | _SINCE, 6_000, 80_000_000)
