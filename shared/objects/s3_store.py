"""An object store behind the S3 protocol: the embedded rclone, or any other."""

import builtins
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from aiobotocore.config import AioConfig
from aiobotocore.session import AioSession, get_session
from botocore.exceptions import ClientError
from botocore.handlers import add_expect_header
from botocore.loaders import Loader, create_loader

from shared.configuration.settings import StorageSettings
from shared.errors import LecternError
from shared.objects.bucket import ensure_bucket
from shared.objects.ports import ObjectInfo, ObjectNotFoundError
from shared.objects.s3_errors import error_code, translated

PART_BYTES: Final = 8 * 1024 * 1024  # S3 takes 5 MiB to 5 GiB, at most 10,000 of them: 80 GB here
_CHUNK_BYTES: Final = 256 * 1024
_CONNECT_SECONDS: Final = 5
# botocore puts its own together anew for each request, which is a fifth of what one costs.
_USER_AGENT: Final = "Lectern"
_READ_SECONDS: Final = 30  # between two pieces of an answer, not for all of it


@dataclass(frozen=True)
class S3Options:
    endpoint_url: str | None
    region: str
    bucket: str
    access_key_id: str = field(repr=False)
    secret_access_key: str = field(repr=False)
    prefix: str = ""
    force_path_style: bool = True
    max_connections: int = 32

    @classmethod
    def of(cls, settings: StorageSettings, *, endpoint: str | None = None) -> "S3Options":
        """endpoint in place of the settings' own: the one that browsers reach."""
        return cls(
            endpoint_url=endpoint or settings.endpoint,
            region=settings.region,
            bucket=settings.bucket,
            access_key_id=settings.access_key,
            secret_access_key=settings.secret_key,
            prefix=settings.prefix,
            force_path_style=settings.force_path_style,
        )


@asynccontextmanager
async def open_s3_store(options: S3Options) -> "AsyncIterator[S3Store]":
    async with open_s3_client(options) as client:
        yield S3Store(client=client, bucket=options.bucket, prefix=options.prefix, region=options.region)


@asynccontextmanager
async def open_s3_client(options: S3Options) -> AsyncIterator[Any]:
    """One client with its connections, for as long as the context is open."""
    config = AioConfig(
        signature_version="s3v4",
        # rclone's answers to ranged reads carry the whole object's checksum; validated, they would fail.
        response_checksum_validation="when_required",
        request_checksum_calculation="when_required",
        s3={"addressing_style": "path" if options.force_path_style else "auto"},
        max_pool_connections=options.max_connections,
        connect_timeout=_CONNECT_SECONDS,
        read_timeout=_READ_SECONDS,
        retries={"mode": "standard", "total_max_attempts": 3},
        user_agent=_USER_AGENT,
    )
    async with _session().create_client(
        "s3",
        endpoint_url=options.endpoint_url,
        region_name=options.region,
        aws_access_key_id=options.access_key_id,
        aws_secret_access_key=options.secret_access_key,
        config=config,
    ) as client:
        # Bodies are in memory and no larger than a part. To wait for leave to send them costs a round trip
        # each, and an error of the connection in that moment ends up with nobody.
        client.meta.events.unregister("before-call.s3", add_expect_header)
        yield client


def _session() -> AioSession:
    session = get_session()
    session.register_component("data_loader", _descriptions())
    return session


@cache
def _descriptions() -> Loader:
    """What botocore knows of S3, never changed: 14 MB and 0.1 s for each session that reads it anew."""
    return create_loader()


class S3Store:
    def __init__(self, *, client: Any, bucket: str, prefix: str, region: str) -> None:
        self._client = client
        self._bucket = bucket
        self._region = region
        self._prefix = folder_of(prefix)

    async def ensure_bucket(self, *, create: bool) -> None:
        """Raises FAILED_PRECONDITION when the bucket can't be used, or is missing and may not be created;
        UNAVAILABLE when the store can't be reached."""
        await ensure_bucket(
            self._client,
            bucket=self._bucket,
            region=self._region,
            endpoint=self._client.meta.endpoint_url,
            create=create,
        )

    async def put(self, key: str, body: bytes, *, content_type: str = "application/octet-stream") -> None:
        with translated(key):
            await self._client.put_object(**self._at(key), Body=body, ContentType=content_type)

    async def put_stream(self, key: str, chunks: AsyncIterator[bytes], *, content_type: str) -> int:
        parts = _parts(chunks)
        first = await anext(parts)
        second = await anext(parts, None)
        if second is None:
            await self.put(key, first, content_type=content_type)
            return len(first)
        with translated(key):
            upload = await self._client.create_multipart_upload(**self._at(key), ContentType=content_type)
        upload_id = upload["UploadId"]
        try:
            return await self._put_parts(key, upload_id, [first, second], parts)
        except BaseException:
            with suppress(LecternError), translated(key):
                await self._client.abort_multipart_upload(**self._at(key), UploadId=upload_id)
            raise

    async def get(self, key: str) -> bytes:
        with translated(key):
            answer = await self._client.get_object(**self._at(key))
            async with answer["Body"] as body:
                content: bytes = await body.read()
                return content

    async def stream(self, key: str, *, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        if end is not None and end <= start:
            if await self.info(key) is None:
                raise ObjectNotFoundError(key)
            return
        ranged = {"Range": f"bytes={start}-{'' if end is None else end - 1}"} if start or end else {}
        with translated(key):
            try:
                answer = await self._client.get_object(**self._at(key), **ranged)
            except ClientError as error:
                if error_code(error) in {"InvalidRange", "416"}:  # start lies beyond the end
                    return
                raise
            async with answer["Body"] as body:
                async for chunk in body.iter_chunks(_CHUNK_BYTES):
                    yield chunk

    async def info(self, key: str) -> ObjectInfo | None:
        try:
            with translated(key):
                answer = await self._client.head_object(**self._at(key))
        except ObjectNotFoundError:
            return None
        return ObjectInfo(key, answer["ContentLength"], answer["LastModified"].timestamp())

    async def copy(self, source: str, target: str) -> None:
        with translated(source):
            await self._client.copy_object(**self._at(target), CopySource=self._at(source))

    async def delete(self, key: str) -> None:
        with suppress(ObjectNotFoundError), translated(key):
            await self._client.delete_object(**self._at(key))

    async def delete_prefix(self, prefix: str) -> int:
        deleted = 0
        async for page in self._pages(prefix):
            if page:
                doomed = [{"Key": self._prefix + found.key} for found in page]
                with translated(prefix):
                    answer = await self._client.delete_objects(
                        Bucket=self._bucket, Delete={"Objects": doomed, "Quiet": True}
                    )
                deleted += len(page) - len(answer.get("Errors", []))
        return deleted

    async def list(self, prefix: str) -> AsyncIterator[ObjectInfo]:
        async for page in self._pages(prefix):
            for found in page:
                yield found

    async def _pages(self, prefix: str) -> AsyncIterator[builtins.list[ObjectInfo]]:
        with translated(prefix):
            pages = self._client.get_paginator("list_objects_v2").paginate(
                Bucket=self._bucket, Prefix=self._prefix + prefix
            )
            async for page in pages:
                yield [
                    ObjectInfo(
                        item["Key"].removeprefix(self._prefix), item["Size"], item["LastModified"].timestamp()
                    )
                    for item in page.get("Contents", [])
                ]

    async def _put_parts(
        self, key: str, upload_id: str, first: builtins.list[bytes], rest: AsyncIterator[bytes]
    ) -> int:
        done: builtins.list[dict[str, object]] = []
        size = 0

        async def send(part: bytes) -> None:
            nonlocal size
            number = len(done) + 1
            with translated(key):
                answer = await self._client.upload_part(
                    **self._at(key), UploadId=upload_id, PartNumber=number, Body=part
                )
            done.append({"ETag": answer["ETag"], "PartNumber": number})
            size += len(part)

        while first:
            await send(first.pop(0))
        async for part in rest:
            await send(part)
        with translated(key):
            await self._client.complete_multipart_upload(
                **self._at(key), UploadId=upload_id, MultipartUpload={"Parts": done}
            )
        return size

    def _at(self, key: str) -> dict[str, str]:
        return {"Bucket": self._bucket, "Key": self._prefix + key}


def folder_of(prefix: str) -> str:
    """What every key begins with: the prefix and one slash, or nothing."""
    return f"{prefix.strip('/')}/" if prefix.strip("/") else ""


async def _parts(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same bytes in pieces of PART_BYTES, the last one shorter; at least one piece."""
    held = bytearray()
    sent = False
    async for chunk in chunks:
        held += chunk
        while len(held) >= PART_BYTES:
            yield bytes(held[:PART_BYTES])
            del held[:PART_BYTES]
            sent = True
    if held or not sent:
        yield bytes(held)
