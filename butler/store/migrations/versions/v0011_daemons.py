"""Which daemon owns the data, and which one began an attempt."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

BIG_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Attempts of before were begun by nobody who is known."""
    op.create_table(
        "daemons",
        sa.Column("epoch", BIG_ID, autoincrement=True, nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("process", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("epoch"),
        sqlite_autoincrement=True,
    )
    op.add_column("attempts", sa.Column("epoch", sa.BigInteger(), nullable=False, server_default="0"))


def downgrade() -> None:
    """Who began what is lost."""
    with op.batch_alter_table("attempts") as attempts:
        attempts.drop_column("epoch")
    op.drop_table("daemons")
