"""What a reader has corrected of a document's metadata, its language, and where a web page came from."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("documents", sa.Column("language", sa.String(length=100), nullable=True))
    op.add_column("documents", sa.Column("own_title", sa.Text(), nullable=True))
    op.add_column("documents", sa.Column("own_authors", sa.JSON(), nullable=True))
    op.add_column("documents", sa.Column("own_language", sa.String(length=100), nullable=True))
    op.add_column("documents", sa.Column("source_url", sa.Text(), nullable=True))
