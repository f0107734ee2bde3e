"""The initial schema: the SQL beside this file, for the database that is migrated."""

import re
from pathlib import Path

from alembic import op

revision = "0015"
down_revision = None


def _sql() -> str:
    return Path(__file__).with_name(f"v0015_{op.get_bind().dialect.name}.sql").read_text(encoding="utf-8")


def upgrade() -> None:
    for statement in _sql().split(";\n\n"):
        op.get_bind().exec_driver_sql(statement)


def downgrade() -> None:
    """Drop every table with its rows."""
    for name in reversed(re.findall(r"^CREATE TABLE (\w+)", _sql(), re.MULTILINE)):
        op.drop_table(name)
