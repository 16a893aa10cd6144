"""Names in the environment that look like ours and are not."""

import pytest

from shared.configuration.declaration import VARIABLES
from shared.configuration.names import notices


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("S3_ENDPOINT", "S3_INTERNAL_ENDPOINT"),
        ("IMPORT_LIBRARY_DIR", "IMPORT_LIBRARY_DIRS"),
        ("ADMIN_EMAILS", "BOOTSTRAP_ADMIN_EMAIL"),
        ("RUN_FS_MIGRATIONS", "RUN_V4_DECOMMISSION"),
        ("AUTH_SECERT", "AUTH_SECRET"),
        ("BASE_URI", "BASE_URL"),
        ("auth_secret", "AUTH_SECRET"),
    ],
)
def test_a_retired_or_misspelt_name_is_noticed_with_the_right_one(name, right):
    found = notices({name: "x"})
    assert [notice.name for notice in found] == [name]
    assert right in found[0].message


def test_a_variable_that_is_not_read_yet_is_noticed():
    assert [notice.name for notice in notices({"CRON_SECRET": "x", "OIDC_CLIENT_ID": "y"})] == [
        "CRON_SECRET",
        "OIDC_CLIENT_ID",
    ]


def test_names_of_other_programs_are_left_alone():
    assert not notices(
        dict.fromkeys(("PATH", "HOME", "PORT", "HOST", "LOGNAME", "XDG_DATA_DIRS", "S3_KEY"), "x")
    )


def test_no_variable_is_noticed():
    assert not notices({variable.name: "x" for variable in VARIABLES})
