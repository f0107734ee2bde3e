"""Rules by which something is done to many things again and again, and by which tool a run was asked for."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Runs from before count towards no ceiling."""
    op.create_table(
        "bulk_schedules",
        sa.Column("rule_id", sa.Text(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=True),
        sa.Column("trouble", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(["rule_id"], ["rules.rule_id"]),
        sa.PrimaryKeyConstraint("rule_id"),
    )
    with op.batch_alter_table("bulk_runs") as runs:
        runs.add_column(sa.Column("tool", sa.Text(), server_default="", nullable=False))
        runs.add_column(sa.Column("rule_id", sa.Text(), nullable=True))
        runs.add_column(sa.Column("remark", sa.Text(), server_default="", nullable=False))


def downgrade() -> None:
    """What only this one has is lost."""
    with op.batch_alter_table("bulk_runs") as runs:
        runs.drop_column("remark")
        runs.drop_column("rule_id")
        runs.drop_column("tool")
    op.drop_table("bulk_schedules")
