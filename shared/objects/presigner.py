"""Addresses by which a browser reaches one object itself, for a while. Made without asking the store."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final
from urllib.parse import urlsplit

from shared.objects.s3_store import S3Options, folder_of, open_s3_client

UPLOAD_CONTENT_TYPE: Final = "application/octet-stream"


@asynccontextmanager
async def open_presigner(options: S3Options) -> "AsyncIterator[Presigner]":
    """options.endpoint_url is the address that browsers use."""
    async with open_s3_client(options) as client:
        presigner = Presigner(client=client, bucket=options.bucket, prefix=options.prefix)
        sample = urlsplit(await presigner.download_url("x", seconds=1))
        presigner.origin = f"{sample.scheme}://{sample.netloc}"
        yield presigner


class Presigner:
    """origin is where the addresses lead, as a browser writes it."""

    def __init__(self, *, client: Any, bucket: str, prefix: str) -> None:
        self._client = client
        self._bucket = bucket
        self._prefix = folder_of(prefix)
        self.origin = ""

    async def upload_url(self, key: str, *, size_bytes: int, seconds: int) -> str:
        """For one PUT of exactly so many bytes of UPLOAD_CONTENT_TYPE."""
        return await self._sign(
            "put_object", key, seconds, ContentLength=size_bytes, ContentType=UPLOAD_CONTENT_TYPE
        )

    async def download_url(
        self, key: str, *, seconds: int, content_type: str = "", content_disposition: str = ""
    ) -> str:
        """For GET, ranges included."""
        wanted = {"ResponseContentType": content_type, "ResponseContentDisposition": content_disposition}
        return await self._sign(
            "get_object", key, seconds, **{name: value for name, value in wanted.items() if value}
        )

    async def _sign(self, operation: str, key: str, seconds: int, **more: object) -> str:
        parameters = {"Bucket": self._bucket, "Key": self._prefix + key, **more}
        url: str = await self._client.generate_presigned_url(operation, Params=parameters, ExpiresIn=seconds)
        return url
