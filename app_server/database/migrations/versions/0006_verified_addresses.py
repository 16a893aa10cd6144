"""Whether an account's e-mail address is known to be its owner's."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "users", sa.Column("email_verified", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
