"""Whose words a button says, where they came by mail."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Buttons of before say what was said in the chat."""
    with op.batch_alter_table("choices") as choices:
        choices.add_column(sa.Column("origins", sa.JSON(none_as_null=True), nullable=True))


def downgrade() -> None:
    """Buttons that wait say words as if they had been said in the chat, so those that came by mail are used up."""
    op.execute("DELETE FROM choices WHERE origins IS NOT NULL")
    with op.batch_alter_table("choices") as choices:
        choices.drop_column("origins")
