"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create them."""
    op.create_table(
        "approvals",
        sa.Column("approval_id", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("identity", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("args", sa.Text(), nullable=False),
        sa.Column("args_sha256", sa.Text(), nullable=False),
        sa.Column("labels", sa.JSON(), nullable=False),
        sa.Column("reasons", sa.JSON(), nullable=False),
        sa.Column("chat", sa.Text(), nullable=False),
        sa.Column("requested_by", sa.Text(), nullable=False),
        sa.Column("plan_id", sa.Text(), nullable=True),
        sa.Column("step_id", sa.Integer(), nullable=True),
        sa.Column("call_id", sa.Text(), nullable=False),
        sa.Column("contract_digest", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("decided_at", sa.BigInteger(), nullable=True),
        sa.Column("decided_by", sa.Text(), nullable=True),
        sa.Column("execute_at", sa.BigInteger(), nullable=True),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("detail", sa.Text(), server_default="", nullable=False),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.Column("card_refs", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("approval_id", name=op.f("approvals_pkey")),
        sa.UniqueConstraint("call_id", name=op.f("approvals_call_id_key")),
    )
    op.create_index("approvals_requested_by", "approvals", ["requested_by"], unique=False)
    op.create_index("approvals_state", "approvals", ["state", "created_at"], unique=False)
    op.create_table(
        "audit",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("previous_hash", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("audit_pkey")),
    )
    op.create_index("audit_subject", "audit", ["subject"], unique=False)
    op.create_table(
        "choices",
        sa.Column("nonce_sha256", sa.Text(), nullable=False),
        sa.Column("chat", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("replied_to", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("nonce_sha256", name=op.f("choices_pkey")),
    )
    op.create_table(
        "contacts",
        sa.Column("contact_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("contact_id", name=op.f("contacts_pkey")),
    )
    op.create_table(
        "conversations",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("state", sa.JSON(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", name=op.f("conversations_pkey")),
    )
    op.create_table(
        "cursors",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("cursors_pkey")),
    )
    op.create_table(
        "facts",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("facts_pkey")),
    )
    op.create_table(
        "inbox",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("inbound_id", sa.Text(), nullable=False),
        sa.Column("dedup_key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("identity", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("chat", sa.Text(), nullable=False),
        sa.Column("sender", sa.Text(), nullable=False),
        sa.Column("message_ref", sa.Text(), nullable=False),
        sa.Column("received_at", sa.BigInteger(), nullable=False),
        sa.Column("item", sa.JSON(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), server_default="", nullable=False),
        sa.Column("handled_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("seq", name=op.f("inbox_pkey")),
        sa.UniqueConstraint("dedup_key", name=op.f("inbox_dedup_key_key")),
        sa.UniqueConstraint("inbound_id", name=op.f("inbox_inbound_id_key")),
    )
    op.create_index("inbox_chat", "inbox", ["channel", "identity", "chat", "seq"], unique=False)
    op.create_table(
        "notes",
        sa.Column("note_id", sa.Text(), nullable=False),
        sa.Column("call_id", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("labels", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("note_id", name=op.f("notes_pkey")),
        sa.UniqueConstraint("call_id", name=op.f("notes_call_id_key")),
    )
    op.create_table(
        "outbox",
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("chat", sa.Text(), nullable=False),
        sa.Column("message", sa.JSON(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("refs", sa.JSON(), nullable=True),
        sa.Column("dedup_key", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("sent_at", sa.BigInteger(), nullable=True),
        sa.Column("detail", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("message_id", name=op.f("outbox_pkey")),
        sa.UniqueConstraint("dedup_key", name=op.f("outbox_dedup_key_key")),
    )
    op.create_index("outbox_chat", "outbox", ["chat", "state", "sent_at"], unique=False)
    op.create_table(
        "plans",
        sa.Column("plan_id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("inbound_id", sa.Text(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("labels", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("plan_id", name=op.f("plans_pkey")),
    )
    op.create_index("plans_inbound", "plans", ["inbound_id"], unique=False)
    op.create_index("plans_session", "plans", ["session_id", "created_at"], unique=False)
    op.create_table(
        "reminders",
        sa.Column("reminder_id", sa.Text(), nullable=False),
        sa.Column("call_id", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("zone", sa.Text(), nullable=False),
        sa.Column("local_time", sa.Text(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("reminder_id", name=op.f("reminders_pkey")),
        sa.UniqueConstraint("call_id", name=op.f("reminders_call_id_key")),
    )
    op.create_index("reminders_due", "reminders", ["state", "due_at"], unique=False)
    op.create_table(
        "work",
        sa.Column("work_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("run_at", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("faults", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last_error", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("work_id", name=op.f("work_pkey")),
        sqlite_autoincrement=True,
    )
    op.create_index("work_due", "work", ["state", "run_at"], unique=False)
    op.create_table(
        "attempts",
        sa.Column("attempt_id", sa.Text(), nullable=False),
        sa.Column("approval_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("progress", sa.JSON(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), server_default="", nullable=False),
        sa.Column("provider_ref", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(["approval_id"], ["approvals.approval_id"], name=op.f("attempts_approval_id_fkey")),
        sa.PrimaryKeyConstraint("attempt_id", name=op.f("attempts_pkey")),
        sa.UniqueConstraint("approval_id", "number", name=op.f("attempts_approval_id_number_key")),
    )
    op.create_table(
        "buttons",
        sa.Column("nonce_sha256", sa.Text(), nullable=False),
        sa.Column("approval_id", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("verb", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("chat", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["approval_id"], ["approvals.approval_id"], name=op.f("buttons_approval_id_fkey")),
        sa.PrimaryKeyConstraint("nonce_sha256", name=op.f("buttons_pkey")),
    )
    op.create_index("buttons_approval", "buttons", ["approval_id"], unique=False)
    op.create_table(
        "contact_addresses",
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("contact_id", sa.Text(), nullable=False),
        sa.Column("confirmed", sa.Boolean(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["contact_id"], ["contacts.contact_id"], name=op.f("contact_addresses_contact_id_fkey")
        ),
        sa.PrimaryKeyConstraint("address", name=op.f("contact_addresses_pkey")),
    )
    op.create_index("contact_addresses_contact", "contact_addresses", ["contact_id"], unique=False)
    op.create_table(
        "contact_aliases",
        sa.Column("contact_id", sa.Text(), nullable=False),
        sa.Column("alias", sa.Text(), nullable=False),
        sa.Column("confirmed", sa.Boolean(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["contact_id"], ["contacts.contact_id"], name=op.f("contact_aliases_contact_id_fkey")),
        sa.PrimaryKeyConstraint("contact_id", "alias", name=op.f("contact_aliases_pkey")),
    )
    op.create_table(
        "plan_steps",
        sa.Column("plan_id", sa.Text(), nullable=False),
        sa.Column("step_id", sa.Integer(), nullable=False),
        sa.Column("tool_call", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("args", sa.JSON(), nullable=False),
        sa.Column("labels", sa.JSON(), nullable=False),
        sa.Column("depends_on", sa.JSON(), nullable=False),
        sa.Column("when", sa.JSON(), nullable=True),
        sa.Column("waiting_on", sa.Text(), nullable=True),
        sa.Column("outcome", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.plan_id"], name=op.f("plan_steps_plan_id_fkey")),
        sa.PrimaryKeyConstraint("plan_id", "step_id", name=op.f("plan_steps_pkey")),
    )


def downgrade() -> None:
    """Drop them, with all that is in them."""
    op.drop_table("plan_steps")
    op.drop_table("contact_aliases")
    op.drop_index("contact_addresses_contact", table_name="contact_addresses")
    op.drop_table("contact_addresses")
    op.drop_index("buttons_approval", table_name="buttons")
    op.drop_table("buttons")
    op.drop_table("attempts")
    op.drop_index("work_due", table_name="work")
    op.drop_table("work")
    op.drop_index("reminders_due", table_name="reminders")
    op.drop_table("reminders")
    op.drop_index("plans_session", table_name="plans")
    op.drop_index("plans_inbound", table_name="plans")
    op.drop_table("plans")
    op.drop_index("outbox_chat", table_name="outbox")
    op.drop_table("outbox")
    op.drop_table("notes")
    op.drop_index("inbox_chat", table_name="inbox")
    op.drop_table("inbox")
    op.drop_table("facts")
    op.drop_table("cursors")
    op.drop_table("conversations")
    op.drop_table("contacts")
    op.drop_table("choices")
    op.drop_index("audit_subject", table_name="audit")
    op.drop_table("audit")
    op.drop_index("approvals_state", table_name="approvals")
    op.drop_index("approvals_requested_by", table_name="approvals")
    op.drop_table("approvals")
