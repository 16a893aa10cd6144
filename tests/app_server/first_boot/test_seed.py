"""Every key of the runtime seed document, and every fault at once with its JSON pointer."""

import json
from typing import Any

import pytest

from app_server.compute_limits.defaults import default_policies
from app_server.first_boot.reading import json_pointer, read_seed
from app_server.first_boot.seed import Seed
from shared.configuration.first_boot_settings import SeedText
from shared.configuration.problem import ConfigurationError

PROVIDER = {
    "slug": "default-provider",
    "displayName": "Kokoro",
    "providerType": "custom-openai",
    "baseUrl": "http://127.0.0.1:8880/v1",
    "defaultModel": "kokoro",
    "enabled": True,
}
EMAIL = {
    "enabled": False,
    "senderName": "Lectern",
    "senderEmail": "lectern@example.org",
    "apiKey": "mail-key-of-some-length",
}
# As accounts-admin.md lists them.
RUNTIME_DEFAULTS: dict[str, Any] = {
    "signupPolicy": "open",
    "defaultTtsProvider": "",
    "enableBuiltinVoice": True,
    "enableTtsProvidersTab": True,
    "enableAudiobookExport": True,
    "enableDocxConversion": True,
    "showAllProviderModels": True,
    "ttsCacheMaxSizeBytes": 268435456,
    "ttsCacheTtlMs": 1800000,
    "ttsUpstreamMaxRetries": 2,
    "ttsUpstreamTimeoutMs": 285000,
    "ttsPlaybackBackgroundExtent": "section",
    "maxUploadMb": 200,
    "changelogFeedUrl": "",
}
POLICIES = default_policies().model_dump(mode="json", by_alias=True, exclude_none=True)


def read(document: Any) -> Seed:
    text = document if isinstance(document, str) else json.dumps(document)
    seed = read_seed(SeedText("RUNTIME_SEED_JSON", text))
    assert seed
    return seed


def faults(document: Any) -> dict[str, str]:
    """What to write, by pointer."""
    with pytest.raises(ConfigurationError) as caught:
        read(document)
    assert {problem.name for problem in caught.value.problems} == {"RUNTIME_SEED_JSON"}
    prefix = "is not valid at "
    return {problem.wrong.removeprefix(prefix): problem.remedy for problem in caught.value.problems}


def faulty(key: str, value: Any) -> set[str]:
    return set(faults({"version": 1, key: value}))


def without(document: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name != key}


def test_the_shortest_document_is_its_version() -> None:
    seed = read({"version": 1})
    assert (seed.runtime_config, seed.providers, seed.account_email) == (None, None, None)


@pytest.mark.parametrize("version", [2, 0, "1", 1.5, True, None])
def test_another_version_is_refused(version: Any) -> None:
    assert "/version" in faults({"version": version})
    assert set(faults({})) == {"/version"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "1",
        "{",
        '{"version": 1,}',
        '{"version": NaN}',
        "[" * 100_000,
        '{"version": 1, "version": 1}',
    ],
)
def test_what_is_no_json_object_is_refused(text: str) -> None:
    assert set(faults(text)) == {"its top level"}


@pytest.mark.parametrize(("key", "value"), RUNTIME_DEFAULTS.items())
def test_each_site_feature_has_its_default_and_may_be_seeded(key: str, value: Any) -> None:
    empty = read({"version": 1, "runtimeConfig": {}}).runtime_config
    assert empty
    assert empty.model_dump(mode="json", by_alias=True)[key] == value
    seeded = read({"version": 1, "runtimeConfig": {key: value}}).runtime_config
    assert seeded
    assert seeded.written() == {key: value}


def test_there_are_no_site_features_besides_those_listed() -> None:
    empty = read({"version": 1, "runtimeConfig": {}}).runtime_config
    assert empty
    assert set(empty.model_dump(by_alias=True)) == {*RUNTIME_DEFAULTS, "computeLimitPolicies"}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("signupPolicy", "invite"),
        ("signupPolicy", None),
        ("defaultTtsProvider", "Not A Slug"),
        ("enableBuiltinVoice", "true"),
        ("enableTtsProvidersTab", 1),
        ("enableAudiobookExport", "yes"),
        ("enableDocxConversion", None),
        ("showAllProviderModels", 0),
        ("ttsCacheMaxSizeBytes", 0),
        ("ttsCacheMaxSizeBytes", "268435456"),
        ("ttsCacheTtlMs", 0),
        ("ttsUpstreamMaxRetries", -1),
        ("ttsUpstreamTimeoutMs", 0),
        ("ttsUpstreamTimeoutMs", 1.5),
        ("ttsPlaybackBackgroundExtent", "chapter"),
        ("maxUploadMb", 0),
        ("maxUploadMb", True),
        ("changelogFeedUrl", "example.org/feed"),
        ("changelogFeedUrl", "javascript:alert(1)"),
        ("computeLimitPolicies", {}),
        ("enableUserSignups", True),
        ("max_upload_mb", 5),
    ],
)
def test_each_site_feature_is_checked(key: str, value: Any) -> None:
    found = faulty("runtimeConfig", {key: value})
    assert all(pointer.startswith(f"/runtimeConfig/{key}") for pointer in found), found


@pytest.mark.parametrize("key", PROVIDER)
def test_each_key_of_a_provider_is_read(key: str) -> None:
    (provider,) = read({"version": 1, "providers": [PROVIDER]}).providers or ()
    assert provider.model_dump(mode="json", by_alias=True)[key] == PROVIDER[key]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("slug", "Upper"),
        ("slug", "builtin"),
        ("slug", "openai"),
        ("slug", ""),
        ("displayName", ""),
        ("providerType", "elevenlabs"),
        ("baseUrl", "127.0.0.1:8880"),
        ("baseUrl", ""),
        ("defaultModel", 1),
        ("enabled", "true"),
        ("apiKey", "two words"),
        ("color", "red"),
    ],
)
def test_each_key_of_a_provider_is_checked(key: str, value: Any) -> None:
    assert faulty("providers", [PROVIDER | {"slug": "first"}, PROVIDER | {key: value}]) == {
        f"/providers/1/{key}"
    }


def test_two_providers_have_two_slugs() -> None:
    assert faulty("providers", [PROVIDER, PROVIDER]) == {"/providers/1/slug"}


def test_a_provider_whose_type_has_an_address_needs_none() -> None:
    given = {"slug": "cloud", "displayName": "Cloud", "providerType": "openai", "apiKey": "sk-1"}
    (provider,) = read({"version": 1, "providers": [given]}).providers or ()
    assert (provider.base_url, provider.enabled) == ("", True)


@pytest.mark.parametrize("key", EMAIL)
def test_account_email_is_complete(key: str) -> None:
    assert faulty("accountEmail", without(EMAIL, key)) == {f"/accountEmail/{key}"}
    assert read({"version": 1, "accountEmail": EMAIL}).account_email


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("enabled", 1),
        ("senderName", ""),
        ("senderEmail", "lectern"),
        ("replyTo", "x"),
        ("apiKey", ""),
        ("port", 25),
    ],
)
def test_each_key_of_account_email_is_checked(key: str, value: Any) -> None:
    assert faulty("accountEmail", EMAIL | {key: value}) == {f"/accountEmail/{key}"}


@pytest.mark.parametrize("reply_to", [None, "help@example.org"])
def test_a_reply_address_may_be_null(reply_to: str | None) -> None:
    email = read({"version": 1, "accountEmail": EMAIL | {"replyTo": reply_to}}).account_email
    assert email
    assert email.reply_to == reply_to


@pytest.mark.parametrize("key", ["runtimeConfig", "providers", "accountEmail"])
def test_a_section_is_left_out_and_not_null(key: str) -> None:
    assert faulty(key, None) == {f"/{key}"}


def test_the_built_in_policies_may_be_seeded() -> None:
    features = read({"version": 1, "runtimeConfig": {"computeLimitPolicies": POLICIES}}).runtime_config
    assert features
    assert features.compute_limit_policies == default_policies()


def _leaves(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    if isinstance(value, dict):
        return [path, *(leaf for key, inner in value.items() for leaf in _leaves(inner, (*path, key)))]
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return _leaves(value[0], (*path, 0))
    return [path]


def _part(document: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        document = document[step]
    return document


# Of those in a list, the first; of those that may be missing, none.
@pytest.mark.parametrize(
    "path", [path for path in _leaves(POLICIES) if path and path[-1] != 0], ids=json_pointer
)
def test_policies_are_one_complete_document(path: tuple[str | int, ...]) -> None:
    document = json.loads(json.dumps(POLICIES))
    del _part(document, path[:-1])[path[-1]]
    pointer = f"/runtimeConfig/computeLimitPolicies{json_pointer(path)}"
    assert faulty("runtimeConfig", {"computeLimitPolicies": document}) == {pointer}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schemaVersion",), 1),
        (("actions", "pdf_layout", "enabled"), "no"),
        (("actions", "pdf_layout", "admission", "windows", 0, "scope"), "everybody"),
        (("actions", "pdf_layout", "admission", "windows", 0, "limit"), 0),
        (("actions", "pdf_layout", "admission", "active", 0, "scope"), "ip"),
        (("actions", "pdf_layout", "execution", "priority"), "now"),
        (("actions", "pdf_layout", "execution", "resources"), ["gpu"]),
        (("actions", "tts_synthesis", "usage", 0, "boundary"), "hard"),
        (("actions", "tts_synthesis", "usage", 0, "window"), "hour"),
        (("actions", "other"), {}),
        (("worker", "resources", "gpu"), 1),
        (("providers", "overrides", "Not A Slug"), POLICIES["providers"]["defaults"]),
        (("extra",), 1),
    ],
)
def test_policies_are_checked(path: tuple[str | int, ...], value: Any) -> None:
    document = json.loads(json.dumps(POLICIES))
    _part(document, path[:-1])[path[-1]] = value
    (found,) = faulty("runtimeConfig", {"computeLimitPolicies": document})
    assert found.startswith(f"/runtimeConfig/computeLimitPolicies{json_pointer(path)}")


def test_all_faults_are_told_at_once() -> None:
    document = {
        "version": 2,
        "runtimeConfig": {"maxUploadMb": 0, "nope": 1},
        "providers": [PROVIDER | {"slug": "X"}, "none"],
        "accountEmail": {},
        "more": 1,
    }
    assert set(faults(document)) == {
        "/version", "/runtimeConfig/maxUploadMb", "/runtimeConfig/nope", "/providers/0/slug", "/providers/1",
        "/accountEmail/enabled", "/accountEmail/senderName", "/accountEmail/senderEmail",
        "/accountEmail/apiKey", "/more",
    }  # fmt: skip


def test_no_fault_tells_what_the_document_holds() -> None:
    secret = "sentinel of a key"
    document = {
        "version": 1,
        "providers": [PROVIDER | {"apiKey": secret, "slug": secret}],
        "accountEmail": secret,
    }
    assert secret not in json.dumps(faults(document))


def test_pointers_are_escaped() -> None:
    assert faulty("runtimeConfig", {"a/b~c": 1}) == {"/runtimeConfig/a~1b~0c"}
