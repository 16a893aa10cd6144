"""A listener who goes elsewhere is served there at once, whatever is under way for the place they left."""

from servers.held_provider import HeldProvider

TEXT = "\n\n".join(f"Paragraph {n} of a text that takes its time." for n in range(30))


async def test_speech_for_the_new_place_is_asked_for_while_that_for_the_old_one_is_still_made(worker):
    provider = HeldProvider()
    async with provider.serving() as address:
        worker.credentials.add_custom("held", address)
        listener = await worker.listen(await worker.read(TEXT), provider_ref="held", voice="any")
        await provider.until_asked_for("Paragraph 0 ")
        await listener.cursor(20)
        await provider.until_asked_for("Paragraph 20 ")
        assert len(provider.asked) == 2  # nothing competes with what the listener is waiting for
        provider.released.set()
        await listener.until(lambda it: 20 in it.segments)
        await listener.cursor(0)
        await listener.until(lambda it: 0 in it.segments)
        # What was made for the old place is still there.
        assert len(provider.asked) == len(set(provider.asked))
