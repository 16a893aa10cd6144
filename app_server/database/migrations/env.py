"""Run by Alembic for each upgrade, over the connection that migrate.py gives it."""

from alembic import context

from app_server.database.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
)
# The caller owns the transaction, and with it the lock.
context.run_migrations()
