"""Standing rules, revisions, digest cards and mail twins; buttons of more than approvals."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def _added() -> tuple[sa.Column[object], ...]:
    return (
        sa.Column("risk", sa.Text(), server_default="high", nullable=False),
        sa.Column("recipients", sa.JSON(), server_default="[]", nullable=False),
        sa.Column("bound", sa.Text(), server_default="", nullable=False),
        sa.Column("rule_id", sa.Text(), nullable=True),
        sa.Column("rule_digest", sa.Text(), nullable=True),
        sa.Column("flood_id", sa.Text(), nullable=True),
    )


def upgrade() -> None:
    """Buttons that are already out keep working."""
    for column in _added():
        op.add_column("approvals", column)
    op.create_table(
        "card_buttons",
        sa.Column("nonce_sha256", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("verb", sa.Text(), nullable=False),
        sa.Column("argument", sa.Text(), server_default="", nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("chat", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("nonce_sha256", name=op.f("card_buttons_pkey")),
    )
    op.create_index("card_buttons_subject", "card_buttons", ["kind", "subject"], unique=False)
    op.execute(
        "INSERT INTO card_buttons (nonce_sha256, kind, subject, revision, verb, argument, owner, chat, created_at,"
        " used_at) SELECT nonce_sha256, 'approval', approval_id, revision, verb, '', owner, chat, created_at, used_at"
        " FROM buttons"
    )
    op.drop_index("buttons_approval", table_name="buttons")
    op.drop_table("buttons")
    op.create_table(
        "revisions",
        sa.Column("approval_id", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("args", sa.Text(), nullable=False),
        sa.Column("args_sha256", sa.Text(), nullable=False),
        sa.Column("contract_digest", sa.Text(), nullable=False),
        sa.Column("labels", sa.JSON(), nullable=False),
        sa.Column("reasons", sa.JSON(), nullable=False),
        sa.Column("replaced_by", sa.Text(), nullable=False),
        sa.Column("replaced_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["approval_id"], ["approvals.approval_id"], name=op.f("revisions_approval_id_fkey")),
        sa.PrimaryKeyConstraint("approval_id", "revision", name=op.f("revisions_pkey")),
    )
    op.create_table(
        "rules",
        sa.Column("rule_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("chat", sa.Text(), nullable=False),
        sa.Column("recipients", sa.JSON(), nullable=False),
        sa.Column("pinned", sa.JSON(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("max_uses", sa.Integer(), nullable=True),
        sa.Column("uses", sa.Integer(), server_default="0", nullable=False),
        sa.Column("made_from", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("card_refs", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["made_from"], ["approvals.approval_id"], name=op.f("rules_made_from_fkey")),
        sa.PrimaryKeyConstraint("rule_id", name=op.f("rules_pkey")),
        sa.UniqueConstraint("number", name=op.f("rules_number_key")),
    )
    op.create_index("rules_state", "rules", ["state", "tool"], unique=False)
    op.create_table(
        "floods",
        sa.Column("flood_id", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("chat", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("risk", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("showing", sa.Text(), server_default="", nullable=False),
        sa.Column("seen", sa.JSON(), nullable=False),
        sa.Column("card_refs", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("flood_id", name=op.f("floods_pkey")),
    )
    op.create_index("floods_open", "floods", ["state", "chat"], unique=False)
    op.create_table(
        "twins",
        sa.Column("approval_id", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), server_default="", nullable=False),
        sa.Column("sent_at", sa.BigInteger(), nullable=True),
        sa.Column("answered_by", sa.Text(), server_default="", nullable=False),
        sa.Column("told_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["approval_id"], ["approvals.approval_id"], name=op.f("twins_approval_id_fkey")),
        sa.PrimaryKeyConstraint("approval_id", "revision", name=op.f("twins_pkey")),
    )
    op.create_index("work_subject", "work", ["subject"], unique=False)


def downgrade() -> None:
    """Drop them; buttons of anything but an approval are lost."""
    op.drop_index("work_subject", table_name="work")
    op.drop_table("twins")
    op.drop_index("floods_open", table_name="floods")
    op.drop_table("floods")
    op.drop_index("rules_state", table_name="rules")
    op.drop_table("rules")
    op.drop_table("revisions")
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
    op.execute(
        "INSERT INTO buttons (nonce_sha256, approval_id, revision, verb, owner, chat, created_at, used_at)"
        " SELECT nonce_sha256, subject, revision, verb, owner, chat, created_at, used_at FROM card_buttons"
        " WHERE kind = 'approval' AND verb IN ('approve', 'deny', 'undo', 'mark_done', 'mark_failed')"
    )
    op.drop_index("card_buttons_subject", table_name="card_buttons")
    op.drop_table("card_buttons")
    for column in reversed(_added()):
        op.drop_column("approvals", column.name)
