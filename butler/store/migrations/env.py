"""Run by Alembic: works on the connection and in the transaction that `migrate` passes."""

from alembic import context

from butler.store.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
