import asyncio
from dataclasses import replace

import pytest
from botocore.awsrequest import AWSPreparedRequest

from shared.errors import Code, LecternError
from shared.objects.s3_store import S3Options, S3Store, open_s3_client, open_s3_store


async def test_a_missing_bucket_is_named_with_what_to_do(s3_options: S3Options) -> None:
    async with open_s3_store(replace(s3_options, bucket="not-there")) as store:
        with pytest.raises(LecternError, match="S3_AUTO_CREATE_BUCKET") as caught:
            await store.ensure_bucket(create=False)
        assert (caught.value.code, caught.value.reason) == (Code.FAILED_PRECONDITION, "BUCKET_MISSING")
        await store.ensure_bucket(create=True)
        await store.ensure_bucket(create=False)
        await store.ensure_bucket(create=True)


async def test_two_processes_may_create_the_bucket_at_once(s3_options: S3Options) -> None:
    async with open_s3_store(s3_options) as one, open_s3_store(s3_options) as other:
        await asyncio.gather(one.ensure_bucket(create=True), other.ensure_bucket(create=True))


async def test_a_store_that_does_not_answer_is_unavailable_and_worth_retrying(s3_options: S3Options) -> None:
    async with open_s3_store(replace(s3_options, endpoint_url="http://127.0.0.1:9")) as store:
        with pytest.raises(LecternError) as caught:
            await store.get("x")
    assert (caught.value.code, caught.value.retryable) == (Code.UNAVAILABLE, True)
    assert "127.0.0.1" not in caught.value.message


async def test_wrong_keys_are_an_error_without_the_keys_in_it(
    embedded_store: S3Store, embedded_options: S3Options
) -> None:
    await embedded_store.put("x", b"1")
    async with open_s3_store(replace(embedded_options, secret_access_key="wrong-secret")) as store:
        with pytest.raises(LecternError) as caught:
            await store.get("x")
        assert caught.value.code is Code.UNAVAILABLE
        assert "wrong-secret" not in repr(caught.value.__cause__) + caught.value.message
        with pytest.raises(LecternError, match="Check S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY") as caught:
            await store.ensure_bucket(create=True)
        assert caught.value.code is Code.FAILED_PRECONDITION
        assert "wrong-secret" not in caught.value.message


async def test_an_unreachable_store_is_named_with_its_variable_at_the_start(s3_options: S3Options) -> None:
    for endpoint in ("http://127.0.0.1:9", "http://no-such-host.invalid:9000"):
        async with open_s3_store(replace(s3_options, endpoint_url=endpoint)) as store:
            with pytest.raises(LecternError, match=f"{endpoint} can't be reached .*S3_INTERNAL_ENDPOINT"):
                await store.ensure_bucket(create=True)


def test_options_do_not_print_the_secret(s3_options: S3Options) -> None:
    assert s3_options.secret_access_key not in repr(s3_options)


async def test_keys_lie_under_the_prefix(s3_store: S3Store, s3_options: S3Options) -> None:
    await s3_store.put("x", b"1")
    async with open_s3_store(replace(s3_options, prefix="")) as root:
        assert [found.key async for found in root.list("")] == ["lectern/x"]


async def test_what_is_stored_is_sent_without_asking_for_leave(embedded_options: S3Options) -> None:
    sent = []

    def see(request: AWSPreparedRequest, **_: object) -> None:
        sent.append(request)

    async with open_s3_client(embedded_options) as client:
        store = S3Store(client=client, bucket=embedded_options.bucket, prefix="", region="us-east-1")
        await store.ensure_bucket(create=True)
        client.meta.events.register("before-send.s3.PutObject", see)
        await store.put("x", b"1")
        assert await store.get("x") == b"1"
    assert [request.headers.get("Expect") for request in sent] == [None]
    assert [request.headers["User-Agent"][:7] for request in sent] == [b"Lectern"]
