"""Asks a provider until it answers or there is no point: slots, cooling down, retries."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp

from compute_worker.speech.model import Permit, Provider
from compute_worker.speech.retry import (
    LONGEST_PAUSE_SECONDS,
    AskAgain,
    AskWithout,
    Failure,
    GiveUp,
    decide,
    error_of,
)
from compute_worker.speech.turns import Turns
from compute_worker.speech.upstream import Upstream
from shared.errors import Code, LecternError

Ask = Callable[[dict[str, Any]], Awaitable[bytes | Failure]]


class PatientCaller:
    def __init__(
        self, *, provider: Provider, upstream: Upstream, turns: Turns, chance: random.Random
    ) -> None:
        self._provider = provider
        self._max_retries = provider.policy.max_retries
        self._turns = turns
        self._upstream = upstream
        self._chance = chance

    async def call(
        self, ask: Ask, fields: dict[str, Any], *, model: str, characters: int, permit: Permit
    ) -> bytes:
        """Leaves out the optional fields that the server is known to refuse, and learns new ones."""
        known = self._upstream.unwanted_fields.get(model, set())
        fields = {name: value for name, value in fields.items() if name not in known}
        dropped: set[str] = set()
        attempt = 0
        while True:
            answer = await self._call_once(ask, fields, characters, permit)
            if isinstance(answer, bytes):
                self._upstream.unwanted_fields.setdefault(model, set()).update(dropped)
                return answer
            match self._decide(answer, attempt, fields):
                case AskWithout(unwanted):
                    dropped.add(unwanted)
                    del fields[unwanted]
                case AskAgain(pause):
                    attempt += 1
                    await self._rest(pause)
                case GiveUp(error):
                    await self._rest(answer.retry_after_seconds or 0.0)
                    raise error

    def _decide(
        self, failure: Failure, attempt: int, fields: dict[str, Any]
    ) -> AskAgain | AskWithout | GiveUp:
        return decide(
            failure,
            retries_left=self._max_retries - attempt,
            attempt=attempt,
            fields=fields,
            chance=self._chance,
        )

    async def _rest(self, seconds: float) -> None:
        """For whoever asks here, at once, and for all other workers."""
        self._upstream.cool_down(seconds)
        await self._turns.rest(self._provider.ref, seconds)

    async def _call_once(
        self, ask: Ask, fields: dict[str, Any], characters: int, permit: Permit
    ) -> bytes | Failure:
        async with self._upstream.slots:
            await self._wait_until_cool()
            async with self._turns.turn(self._provider.ref, self._provider.policy, characters):
                await permit()
                return await self._ask(ask, fields)

    @staticmethod
    async def _ask(ask: Ask, fields: dict[str, Any]) -> bytes | Failure:
        try:
            return await ask(fields)
        except TimeoutError:
            return Failure(None, is_timeout=True)
        except aiohttp.InvalidURL:
            message = "The speech provider's address is not valid."
            error = LecternError(Code.FAILED_PRECONDITION, message, reason="PROVIDER_INCOMPLETE")
            raise error from None  # the address may carry what should not be logged
        except (aiohttp.ClientError, OSError):
            return Failure(None)

    async def _wait_until_cool(self) -> None:
        """Within the slots, so that a provider in trouble is not met by a crowd afterwards."""
        while (pause := self._upstream.cooling_seconds) > 0:
            if pause > LONGEST_PAUSE_SECONDS:
                raise error_of(Failure(429, retry_after_seconds=pause))
            await asyncio.sleep(pause)
