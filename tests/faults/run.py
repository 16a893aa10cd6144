"""One run: a mesh, listeners, trouble, and what has to hold afterwards."""

import asyncio
import random
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from bench.books import text_book
from faults import checks
from faults.listener import Listener
from faults.mesh import Mesh, running_mesh
from faults.stored import Stored, until_quiet
from faults.trouble import Trouble

REFERENCE_SECONDS = 120.0  # for somebody who comes when all is quiet; a machine may have other work


@dataclass(frozen=True)
class Size:
    listeners: int
    documents: int
    paragraphs: int  # of about six seconds each
    speed: float
    trouble_seconds: float
    longest_pause: float  # between two happenings, in seconds
    patience_seconds: float  # for the slowest listener after the trouble is over
    provider_delay: float = 0.15


SHORT = Size(
    listeners=8,
    documents=3,
    paragraphs=24,
    speed=8,
    trouble_seconds=20,
    longest_pause=1.6,
    patience_seconds=120,
)


LONG = Size(
    listeners=50,
    documents=10,
    paragraphs=60,
    speed=4,
    trouble_seconds=90,
    longest_pause=2.5,
    patience_seconds=150,
)


async def run(folder: Path, seed: int, size: Size, *, tell: Callable[[str], None]) -> None:
    """Raises AssertionError with everything that does not hold."""
    tell(f"seed {seed}")
    chance = random.Random(seed)
    async with running_mesh(folder, chance=random.Random(seed), provider_delay=size.provider_delay) as mesh:
        files_before = _open_files(mesh)
        trouble = Trouble(mesh, chance, tell=tell)
        listeners = _listeners(mesh, chance, size)
        async with AsyncExitStack() as stack:
            await _listen(mesh, stack, listeners, trouble, size, chance)
        tell(_summary(listeners, trouble, mesh))
        references, late = await _references(mesh, listeners)
        complaints = [
            f"{listener.name} heard {len(listener.audio)} other bytes, not {len(reference)}"
            for listener in listeners
            if bytes(listener.audio) != (reference := references[listener.document])
        ]
        complaints += await _after(mesh, trouble, size, files_before, [*listeners, *late])
    # The programs have ended, and written all they had to say.
    complaints += [f"left over: {left}" for left in mesh.scratch.iterdir()]
    tokens = {f"A token of {listener.name}": listener.tokens for listener in [*listeners, *late]}
    planted = {name: [value] for name, value in mesh.planted.items()}
    complaints += checks.planted_secrets_in(mesh.folder, {**planted, **tokens})
    assert not complaints, "\n".join([f"seed {seed}", *complaints])


def _listeners(mesh: Mesh, chance: random.Random, size: Size) -> list[Listener]:
    books = [text_book(chance, size.paragraphs) for _ in range(size.documents)]
    return [
        Listener(
            mesh.base_url,
            f"listener-{number}",
            mesh.planted["PASSWORD"],
            books[number % size.documents],
            size.speed,
        )
        for number in range(size.listeners)
    ]


async def _listen(
    mesh: Mesh,
    stack: AsyncExitStack,
    listeners: list[Listener],
    trouble: Trouble,
    size: Size,
    chance: random.Random,
) -> None:
    """Until all have heard everything. They come one after the other while things go wrong."""

    async def one(listener: Listener, after: float) -> None:
        await asyncio.sleep(after)
        await listener.listen(await stack.enter_async_context(session(mesh)))

    arrivals = [chance.uniform(0, size.trouble_seconds / 3) for _ in listeners]
    tasks = [
        asyncio.create_task(one(listener, after), name=listener.name)
        for listener, after in zip(listeners, arrivals, strict=True)
    ]
    try:
        await trouble.make(seconds=size.trouble_seconds, longest_pause=size.longest_pause)
        done, waiting = await asyncio.wait(tasks, timeout=size.patience_seconds)
        for task in done:
            task.result()
        left = {task.get_name() for task in waiting}
        assert not left, "\n".join(listener.where() for listener in listeners if listener.name in left)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def session(mesh: Mesh) -> aiohttp.ClientSession:
    jar = aiohttp.CookieJar(unsafe=True)
    return aiohttp.ClientSession(cookie_jar=jar, headers={"Origin": mesh.base_url})


async def _references(mesh: Mesh, listeners: list[Listener]) -> tuple[dict[bytes, bytes], list[Listener]]:
    """What somebody hears who comes when all is quiet, by document; and who they are."""
    references, came = {}, []
    for number, document in enumerate({listener.document: None for listener in listeners}):
        late = Listener(
            mesh.base_url, f"reference-{number}", mesh.planted["PASSWORD"], document, speed=10_000
        )
        async with session(mesh) as http, asyncio.timeout(REFERENCE_SECONDS):
            await late.listen(http)
        references[document] = bytes(late.audio)
        came.append(late)
    return references, came


async def _after(
    mesh: Mesh, trouble: Trouble, size: Size, files_before: dict[str, int], listeners: list[Listener]
) -> list[str]:
    def with_the_broker(present: Stored) -> list[str]:
        return [
            *checks.every_operation_is_settled(present),
            *checks.no_claim_is_left(present),
            *checks.no_job_is_left(present),
            *checks.followers_have_not_grown(present, trouble.happened),
            *checks.nothing_has_grown(present, sessions=len(listeners), documents=size.documents),
        ]

    settled = await until_quiet(mesh.broker_urls, with_the_broker)
    await asyncio.sleep(1)  # connections of listeners that have gone are noticed within seconds
    asked = mesh.provider.asked
    return [
        *with_the_broker(settled),
        *checks.made_once(asked, trouble.happened),
        *checks.objects_are_as_expected(
            mesh.bucket,
            trouble.happened,
            texts=len(asked),
            documents=size.documents,
            uploads_cut=sum(listener.uploads_cut for listener in listeners),
        ),
        *checks.files_have_not_grown(files_before, _open_files(mesh)),
        *checks.tracebacks_in(program.log for program in mesh.ours),
        *checks.refused_calls_in(program.log for program in mesh.apps),
    ]


def _open_files(mesh: Mesh) -> dict[str, int]:
    return {program.name: len(program.open_files()) for program in mesh.ours}


def _summary(listeners: list[Listener], trouble: Trouble, mesh: Mesh) -> str:
    cuts, plays = sum(it.cuts for it in listeners), sum(it.plays for it in listeners)
    asked = sum(len(moments) for moments in mesh.provider.asked.values())
    told = sorted({code for it in listeners for code in it.problems})
    return (
        f"{len(trouble.happened)} happenings; {len(listeners)} listeners heard all; {cuts} cuts, "
        f"{plays} plays; {len(mesh.provider.asked)} texts, asked for {asked} times; "
        f"problems told: {', '.join(told) or 'none'}; {time.monotonic() - trouble.began:.0f} s"
    )
