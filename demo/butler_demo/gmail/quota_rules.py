"""What Gmail's calls cost, for projects since May 2026."""

from butler_demo.google.quota import QuotaRules

_UNITS = {
    "history.list": 2,
    "messages.list": 5,
    "messages.get": 20,
    "messages.batchModify": 50,
    "threads.get": 40,
    "threads.list": 10,
    "drafts.create": 10,
    "drafts.delete": 10,
    "drafts.get": 5,
    "drafts.list": 5,
    "drafts.update": 15,
    "drafts.send": 100,
    "getProfile": 1,
    "labels.list": 1,
    "labels.create": 5,
    "settings.sendAs.list": 1,
    "watch": 100,
    "stop": 50,
}
"""Where the new figure is not known, the old one holds."""
GMAIL_SINCE_MAY_2026 = QuotaRules(
    {f"gmail.users.{operation}": cost for operation, cost in _UNITS.items()},
    other=5,
    user_per_minute=6_000,
    project_per_minute=1_200_000,
)
