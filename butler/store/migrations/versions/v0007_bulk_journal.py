"""What each thing of a run was before, and how many of its kind came since."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Runs from before know nothing of it, which none of their actions needs."""
    with op.batch_alter_table("bulk_items") as items:
        items.add_column(sa.Column("data", sa.JSON(none_as_null=True), nullable=True))
    with op.batch_alter_table("bulk_runs") as runs:
        runs.add_column(sa.Column("arrived", sa.Integer(), server_default="0", nullable=False))


def downgrade() -> None:
    """What only this one has is lost."""
    with op.batch_alter_table("bulk_runs") as runs:
        runs.drop_column("arrived")
    with op.batch_alter_table("bulk_items") as items:
        items.drop_column("data")
