"""Shared providers as administrators see and write them. No answer holds a key."""

from typing import Annotated, Literal

from pydantic import Field

from app_server.http.json_bodies import AnswerBody, RequestBody
from app_server.providers.fields import BaseUrl, Instructions, Key, ModelName, Name, Slug
from app_server.providers.management import ManagedProvider, ProviderDraft
from app_server.providers.model import ProviderType
from app_server.providers.trial import Step


class ProviderBody(RequestBody):
    display_name: Name
    provider_type: ProviderType
    base_url: BaseUrl = ""
    default_model: ModelName = ""
    default_instructions: Instructions = ""
    enabled: bool = True
    # Left out or null: the stored key stays. Empty: it is removed.
    api_key: Annotated[Key | None, Field(repr=False)] = None

    def draft(self) -> ProviderDraft:
        return ProviderDraft(
            display_name=self.display_name,
            type=self.provider_type,
            base_url=self.base_url,
            default_model=self.default_model,
            default_instructions=self.default_instructions,
            enabled=self.enabled,
            api_key=self.api_key,
        )


class NewProviderBody(ProviderBody):
    slug: Slug


class ShownKey(AnswerBody):
    state: Literal["none", "set", "unreadable"]
    # Its last four characters, where it is long enough to show them.
    ending: str


class ShownManagedProvider(AnswerBody):
    slug: str
    display_name: str
    provider_type: str
    base_url: str
    default_model: str
    default_instructions: str
    enabled: bool
    api_key: ShownKey


class ManagedProviderAnswer(AnswerBody):
    provider: ShownManagedProvider


class ManagedProvidersAnswer(AnswerBody):
    providers: list[ShownManagedProvider]


class ShownStep(AnswerBody):
    id: str
    label: str
    status: Literal["ok", "error", "skipped"]
    detail: str
    fix: str


class TrialAnswer(AnswerBody):
    steps: list[ShownStep]


def shown_provider(managed: ManagedProvider) -> ShownManagedProvider:
    provider = managed.provider
    return ShownManagedProvider(
        slug=provider.slug,
        display_name=provider.display_name,
        provider_type=provider.type.value,
        base_url=provider.base_url,
        default_model=provider.default_model,
        default_instructions=provider.default_instructions,
        enabled=provider.enabled,
        api_key=ShownKey(state=managed.key_state.value, ending=managed.key_ending),
    )


def shown_step(step: Step) -> ShownStep:
    return ShownStep(id=step.id, label=step.label, status=step.status.value, detail=step.detail, fix=step.fix)
