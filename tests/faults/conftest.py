"""The suite needs PostgreSQL; tests/app_server says so in the report where none is installed."""

from app_fixtures import postgresql

collect_ignore = [] if postgresql.is_installed() else ["test_faults.py"]
