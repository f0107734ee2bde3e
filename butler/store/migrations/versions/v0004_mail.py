"""Mails that are put away once they are dealt with, answers that are counted, and buttons that stand for a step."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Nothing that was stored before is of this kind."""
    op.add_column("inbox", sa.Column("filed_at", sa.BigInteger(), nullable=True))
    op.add_column("choices", sa.Column("step", sa.JSON(none_as_null=True), nullable=True))
    op.create_table(
        "mail_answers",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("correspondent", sa.Text(), nullable=False),
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("thread", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("progress", sa.JSON(none_as_null=True), nullable=False, server_default="{}"),
        sa.PrimaryKeyConstraint("key", name=op.f("mail_answers_pkey")),
    )
    for name in ("correspondent", "domain", "thread"):
        op.create_index(f"mail_answers_{name}", "mail_answers", [name, "at"])


def downgrade() -> None:
    """What only this one has is lost."""
    op.drop_table("mail_answers")
    op.drop_column("choices", "step")
    op.drop_column("inbox", "filed_at")
