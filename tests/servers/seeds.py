"""First-boot documents for instances of the tests."""

import json

from app_server.compute_limits.defaults import default_policies


def seed_with_generous_limits() -> str:
    """For a provider that is asked more often than the limits set for people allow."""
    policies = default_policies().model_dump(mode="json", by_alias=True)
    policies["providers"]["defaults"] |= {
        "maxConcurrent": 12,
        "requestsPerMinute": 100_000,
        "charactersPerMinute": 10_000_000,
    }
    return json.dumps({"version": 1, "runtimeConfig": {"computeLimitPolicies": policies}})
