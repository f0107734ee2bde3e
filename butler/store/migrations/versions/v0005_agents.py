"""What memory holds, what the owner prefers, what a request has used, and what the guardrails said of an item."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Nothing that was stored before is of this kind."""
    op.add_column("inbox", sa.Column("guard", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("plans", sa.Column("spent", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("reminders", sa.Column("labels", sa.JSON(none_as_null=True), nullable=True))
    changed_at = sa.Column("changed_at", sa.BigInteger(), server_default="0", nullable=False)
    op.add_column("seen_messages", changed_at)
    op.create_index("seen_messages_changed", "seen_messages", ["changed_at", "seq"])
    op.create_table(
        "preferences",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("said_in", sa.Text(), nullable=False),
        sa.Column("set_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("preferences_pkey")),
    )
    op.create_table(
        "memory_sources",
        sa.Column("source_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("origins", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("problems", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("chunks", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=True),
        sa.Column("added_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("source_id", name=op.f("memory_sources_pkey")),
    )
    op.create_index("memory_sources_kind", "memory_sources", ["kind", "added_at"])


def downgrade() -> None:
    """What only this one has is lost."""
    op.drop_table("memory_sources")
    op.drop_table("preferences")
    op.drop_index("seen_messages_changed", "seen_messages")
    op.drop_column("seen_messages", "changed_at")
    op.drop_column("reminders", "labels")
    op.drop_column("plans", "spent")
    op.drop_column("inbox", "guard")
