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


def test_a_default_that_is_written_out_is_not_noticed():
    assert not notices({"USE_ANONYMOUS_AUTH_SESSIONS": "false", "AUTH_MODE": "accounts"})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("HOSTED_PRODUCTION", "TRUE"),
        ("COMPUTE_BROKER_REPLICAS", "4"),
        ("IMPORT_LIBRARY_DIRS", "/nowhere"),
    ],
)
def test_a_value_with_less_effect_than_it_looks_is_noticed(name, text):
    assert [notice.name for notice in notices({name: text})] == [name]


def test_half_of_what_a_sign_in_needs_is_noticed_with_the_rest():
    messages = [notice.message for notice in notices({"OIDC_CLIENT_ID": "lectern"})]
    assert any("OIDC_CLIENT_SECRET and OIDC_DISCOVERY_URL" in message for message in messages)


def test_names_of_other_programs_are_left_alone():
    assert not notices(
        dict.fromkeys(("PATH", "HOME", "PORT", "HOST", "LOGNAME", "XDG_DATA_DIRS", "S3_KEY"), "x")
    )


def test_no_empty_variable_is_noticed():
    assert not notices({variable.name: "" for variable in VARIABLES})
