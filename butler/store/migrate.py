"""Migrates a database between revisions. The only file that needs Alembic; imported if the revisions differ."""

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

SCRIPTS = Path(__file__).parent / "migrations"


def upgrade(connection: sa.Connection, revision: str = "head") -> None:
    """Upgrade the tables to `revision`, within the connection's transaction."""
    command.upgrade(_config(connection), revision)


def downgrade(connection: sa.Connection, revision: str) -> None:
    """Downgrade the tables to `revision` (`base` for none), within the connection's transaction."""
    command.downgrade(_config(connection), revision)


def _config(connection: sa.Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
