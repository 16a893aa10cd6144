"""Roles, account e-mail, and what the first start has taken in."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("users", sa.Column("role", sa.String(length=16), server_default="member", nullable=False))
    op.add_column(
        "users", sa.Column("must_change_password", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    op.create_table(
        "account_email",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("sender_name", sa.String(length=200), nullable=False),
        sa.Column("sender_email", sa.String(length=320), nullable=False),
        sa.Column("reply_to", sa.String(length=320), nullable=True),
        sa.Column("api_key", sa.Text(), nullable=False),
        sa.Column("updated_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account_email")),
    )
    op.create_table(
        "first_boot",
        sa.Column("input", sa.String(length=32), nullable=False),
        sa.Column("consumed_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("input", name=op.f("pk_first_boot")),
    )
