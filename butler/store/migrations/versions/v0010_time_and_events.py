"""Events and what listens to them, webhooks, times that were fired, what is waited for, what was polled."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

BIG_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
NEW = (
    "events",
    "firings",
    "automations",
    "automation_firings",
    "hooks",
    "waits",
    "polled",
    "model_use",
)


def upgrade() -> None:
    """Reminders of before are said once, at their wall time."""
    _events()
    _automations()
    _coming_in()
    with op.batch_alter_table("reminders") as reminders:
        reminders.add_column(sa.Column("rule", sa.JSON(none_as_null=True), nullable=True))
        reminders.add_column(sa.Column("until_event", sa.JSON(none_as_null=True), nullable=True))
        reminders.add_column(sa.Column("said", sa.Integer(), server_default="0", nullable=False))
        reminders.add_column(sa.Column("snoozed", sa.Boolean(), server_default=sa.false(), nullable=False))
        reminders.add_column(sa.Column("chat", sa.Text(), server_default="", nullable=False))
        reminders.add_column(sa.Column("rule_at", sa.BigInteger(), nullable=True))
        reminders.add_column(sa.Column("again_at", sa.BigInteger(), nullable=True))
        reminders.add_column(sa.Column("awaits_event", sa.Boolean(), server_default=sa.false(), nullable=False))
        reminders.create_index("reminders_awaits", ["awaits_event", "state"])
    op.execute("UPDATE reminders SET rule_at = due_at WHERE state = 'waiting'")
    with op.batch_alter_table("approvals") as approvals:
        approvals.add_column(sa.Column("not_before", sa.BigInteger(), nullable=True))
    _model_use_so_far()
    with op.batch_alter_table("revisions") as revisions:
        revisions.add_column(sa.Column("not_before", sa.BigInteger(), nullable=True))
    with op.batch_alter_table("plan_steps") as plan_steps:
        plan_steps.add_column(sa.Column("not_before", sa.BigInteger(), nullable=True))


def _model_use_so_far() -> None:
    """What language models had used today was a fact."""
    facts = sa.table("facts", sa.column("name", sa.Text()), sa.column("value", sa.JSON()))
    names = {"day": sa.Text(), "requests": sa.Integer(), "tokens": sa.BigInteger(), "cost": sa.Float()}
    use = sa.table("model_use", *(sa.column(name, kind) for name, kind in names.items()))
    this, connection = facts.c.name == "llm_used", op.get_bind()
    used = connection.execute(sa.select(facts.c.value).where(this)).scalar()
    if isinstance(used, dict):
        connection.execute(use.insert().values(**used))
        connection.execute(facts.delete().where(this))


def downgrade() -> None:
    """What only this one has is lost."""
    with op.batch_alter_table("plan_steps") as plan_steps:
        plan_steps.drop_column("not_before")
    with op.batch_alter_table("revisions") as revisions:
        revisions.drop_column("not_before")
    with op.batch_alter_table("approvals") as approvals:
        approvals.drop_column("not_before")
    with op.batch_alter_table("reminders") as reminders:
        reminders.drop_index("reminders_awaits")
        for name in ("awaits_event", "again_at", "rule_at", "chat", "snoozed", "said", "until_event", "rule"):
            reminders.drop_column(name)
    for table in reversed(NEW):
        op.drop_table(table)


def _events() -> None:
    op.create_table(
        "events",
        sa.Column("seq", BIG_ID, autoincrement=True, nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("dedup_key", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("identity", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("facts", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("origin", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("subject", sa.Text(), server_default="", nullable=False),
        sa.Column("depth", sa.Integer(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("seq"),
        sa.UniqueConstraint("event_id"),
        sa.UniqueConstraint("dedup_key"),
    )
    op.create_index("events_name", "events", ["name", "at"])
    op.create_index("events_at", "events", ["at"])
    op.create_table(
        "firings",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("fired_at", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("kind", "subject", "due_at"),
    )
    op.create_index("firings_at", "firings", ["fired_at"])
    op.create_index("firings_message", "firings", ["message_id"])


def _automations() -> None:
    op.create_table(
        "automations",
        sa.Column("automation_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("spec", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), server_default="", nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("said", sa.Integer(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("automation_id"),
        sa.UniqueConstraint("number"),
    )
    op.create_index("automations_event", "automations", ["state", "event"])
    op.create_table(
        "automation_firings",
        sa.Column("automation_id", sa.Text(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("replay", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), server_default="", nullable=False),
        sa.Column("plan_id", sa.Text(), nullable=True),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("automation_id", "event_id", "replay"),
    )
    op.create_index("automation_firings_at", "automation_firings", ["automation_id", "at"])
    op.create_table(
        "waits",
        sa.Column("wait_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("chat", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("contact_id", sa.Text(), server_default="", nullable=False),
        sa.Column("about", sa.Text(), server_default="", nullable=False),
        sa.Column("call_id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.Column("settled_at", sa.BigInteger(), nullable=True),
        sa.Column("labels", sa.JSON(none_as_null=True), server_default="[]", nullable=False),
        sa.PrimaryKeyConstraint("wait_id"),
        sa.UniqueConstraint("call_id"),
    )
    op.create_index("waits_state", "waits", ["state", "address"])


def _coming_in() -> None:
    op.create_table(
        "hooks",
        sa.Column("hook_id", sa.Text(), nullable=False),
        sa.Column("receiver", sa.Text(), nullable=False),
        sa.Column("dedup_key", sa.Text(), nullable=False),
        sa.Column("received_at", sa.BigInteger(), nullable=False),
        sa.Column("remote", sa.Text(), nullable=False),
        sa.Column("headers", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), server_default="", nullable=False),
        sa.Column("handled_at", sa.BigInteger(), nullable=True),
        sa.Column("replays", sa.Integer(), server_default="0", nullable=False),
        sa.Column("signed_key", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("hook_id"),
        sa.UniqueConstraint("dedup_key"),
        sa.UniqueConstraint("signed_key"),
    )
    op.create_index("hooks_received", "hooks", ["received_at"])
    op.create_table(
        "polled",
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), server_default="", nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=True),
        sa.Column("ends_at", sa.BigInteger(), nullable=True),
        sa.Column("item", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("removed_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("channel", "account", "kind", "ref"),
    )
    op.create_index("polled_at", "polled", ["kind", "at"])
    op.create_table(
        "model_use",
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("requests", sa.Integer(), server_default="0", nullable=False),
        sa.Column("tokens", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("cost", sa.Float(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("day"),
    )
