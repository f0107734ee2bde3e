"""Runs over many things, and what has become of each thing."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Nothing that was stored before is of this kind."""
    op.create_table(
        "bulk_runs",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("adapter", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("params", sa.Text(), nullable=False),
        sa.Column("context", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), server_default="", nullable=False),
        sa.Column("total", sa.Integer(), server_default="0", nullable=False),
        sa.Column("shown", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("call_id", sa.Text(), nullable=True),
        sa.Column("chat", sa.Text(), server_default="", nullable=False),
        sa.Column("undo_of", sa.Text(), nullable=True),
        sa.Column("retry_of", sa.Text(), nullable=True),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("begun_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("run_id", name=op.f("bulk_runs_pkey")),
        sa.UniqueConstraint("call_id", name=op.f("bulk_runs_call_id_key")),
    )
    op.create_index("bulk_runs_state", "bulk_runs", ["state", "adapter", "account"])
    op.create_table(
        "bulk_items",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), server_default="", nullable=False),
        sa.Column("sent", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["bulk_runs.run_id"], name=op.f("bulk_items_run_id_fkey")),
        sa.PrimaryKeyConstraint("run_id", "seq", name=op.f("bulk_items_pkey")),
    )
    op.create_index("bulk_items_state", "bulk_items", ["run_id", "state", "seq"])
    op.create_index("bulk_items_item", "bulk_items", ["run_id", "item_id"])


def downgrade() -> None:
    """What only this one has is lost."""
    op.drop_table("bulk_items")
    op.drop_table("bulk_runs")
