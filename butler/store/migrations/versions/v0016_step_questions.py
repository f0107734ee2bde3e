"""Add the question that is answered from what a step finds."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.add_column("plan_steps", sa.Column("ask", sa.Text, nullable=False, server_default=""))


def downgrade() -> None:
    """Drop the questions."""
    op.drop_column("plan_steps", "ask")
