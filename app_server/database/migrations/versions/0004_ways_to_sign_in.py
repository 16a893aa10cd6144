"""Kinds of users, identities at other providers, and the ways there and back."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("users", sa.Column("kind", sa.String(length=16), server_default="account", nullable=False))
    op.create_index(op.f("ix_users_kind"), "users", ["kind"])
    op.create_table(
        "external_identities",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("user_id", sa.String(length=32), nullable=False),
        sa.Column("issuer", sa.String(length=500), nullable=False),
        sa.Column("subject", sa.String(length=255), nullable=False),
        sa.Column("email", sa.String(length=320), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("linked_at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_external_identities_user_id_users"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_external_identities")),
        sa.UniqueConstraint("issuer", "subject", name=op.f("uq_external_identities_issuer_subject")),
        sa.UniqueConstraint("user_id", "issuer", name=op.f("uq_external_identities_user_id_issuer")),
    )
    op.create_table(
        "sign_in_flows",
        sa.Column("state_hash", sa.String(length=64), nullable=False),
        sa.Column("provider_id", sa.String(length=64), nullable=False),
        sa.Column("browser_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=32), nullable=True),
        sa.Column("next_address", sa.Text(), nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_sign_in_flows_user_id_users"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("state_hash", name=op.f("pk_sign_in_flows")),
    )
    op.create_index(op.f("ix_sign_in_flows_user_id"), "sign_in_flows", ["user_id"])
    op.create_index(op.f("ix_sign_in_flows_expires_at_ms"), "sign_in_flows", ["expires_at_ms"])
