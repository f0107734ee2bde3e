"""Work that waits for a length of time, and not for a moment, says for how long."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """What waits already waits until its moment."""
    op.add_column("work", sa.Column("waits_s", sa.Float(), nullable=True))


def downgrade() -> None:
    """Everything waits until its moment."""
    with op.batch_alter_table("work") as work:
        work.drop_column("waits_s")
