"""Indices over what tables that grow for years are asked for: what is old, and what belongs to a plan or a card."""

import structlog
from alembic import op

log = structlog.get_logger(__name__)

revision = "0014"
down_revision = "0013"

NEW = (
    ("inbox_channel", "inbox", ("channel", "identity", "seq")),
    ("inbox_message", "inbox", ("chat", "message_ref")),
    ("inbox_received", "inbox", ("received_at", "seq")),
    ("outbox_created", "outbox", ("created_at",)),
    ("outbox_state", "outbox", ("state",)),
    ("plans_updated", "plans", ("updated_at",)),
    ("conversations_updated", "conversations", ("updated_at",)),
    ("choices_created", "choices", ("created_at",)),
    ("approvals_chat", "approvals", ("chat", "created_at")),
    ("approvals_plan", "approvals", ("plan_id",)),
    ("approvals_flood", "approvals", ("flood_id",)),
    ("attempts_token", "attempts", ("token",)),
    ("automation_firings_time", "automation_firings", ("at",)),
    ("automation_firings_plan", "automation_firings", ("plan_id",)),
    ("automation_firings_message", "automation_firings", ("message_id",)),
    ("waits_settled", "waits", ("settled_at",)),
    ("polled_removed", "polled", ("removed_at",)),
    ("bulk_runs_message", "bulk_runs", ("message_id",)),
)


def upgrade() -> None:
    """Of millions of rows an index takes a while, so each is told of before it is made."""
    for number, (name, table, columns) in enumerate(NEW, 1):
        log.info("making_index", index=name, table=table, number=number, of=len(NEW))
        op.create_index(name, table, list(columns))


def downgrade() -> None:
    """Nothing is lost."""
    for name, table, _ in reversed(NEW):
        op.drop_index(name, table_name=table)
