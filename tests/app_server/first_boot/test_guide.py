"""The guide's seed document is a valid one, and names every key with its default."""

import json
import re

from app_server.first_boot.reading import read_seed
from app_server.site_features.model import SiteFeatures
from servers.lectern import ROOT
from shared.configuration.first_boot_settings import SeedText


def test_the_guides_document_is_valid_and_complete() -> None:
    guide = (ROOT / "docs" / "first-start.md").read_text()
    (text,) = re.findall(r"```json\n(.*?)```", guide, re.DOTALL)
    seed = read_seed(SeedText("RUNTIME_SEED_JSON", text))
    assert seed
    assert seed.runtime_config == SiteFeatures()
    shown = json.loads(text)
    keys = set(SiteFeatures().model_dump(by_alias=True)) - {"computeLimitPolicies"}
    assert set(shown["runtimeConfig"]) == keys
    assert set(shown["providers"][0]) == set((seed.providers or ())[0].model_dump(by_alias=True))
    assert seed.account_email
    assert set(shown["accountEmail"]) == set(seed.account_email.model_dump(by_alias=True))
    assert set(shown) == set(seed.model_dump(by_alias=True))
