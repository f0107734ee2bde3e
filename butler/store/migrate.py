"""Moves a database between revisions. The only file that needs Alembic; imported when a revision differs."""

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

SCRIPTS = Path(__file__).parent / "migrations"


def upgrade(connection: sa.Connection, revision: str = "head") -> None:
    """Bring the tables up to `revision`, within the connection's transaction."""
    command.upgrade(_config(connection), revision)


def downgrade(connection: sa.Connection, revision: str) -> None:
    """Take the tables back to `revision` (`base` for none), within the connection's transaction."""
    command.downgrade(_config(connection), revision)


def _config(connection: sa.Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
