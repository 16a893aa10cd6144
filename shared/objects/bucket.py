"""The bucket at a process's start: made where that is wanted, and every trouble named by its variable."""

from typing import Any, Final

from botocore.exceptions import ClientError

from shared.errors import Code, LecternError
from shared.objects.ports import ObjectNotFoundError
from shared.objects.s3_errors import error_code, translated

# A HEAD's answer has no body, so that its status is all that is known.
_REFUSED: Final = frozenset(
    {"400", "401", "403", "AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "Forbidden"}
)
_ELSEWHERE: Final = frozenset({"301", "307", "PermanentRedirect", "AuthorizationHeaderMalformed"})


async def ensure_bucket(client: Any, *, bucket: str, region: str, endpoint: str, create: bool) -> None:
    """Raises FAILED_PRECONDITION, or UNAVAILABLE for a store that can't be reached, in an operator's words:
    it may name the endpoint, never a key."""
    try:
        if await _exists(client, bucket):
            return
        if not create:
            raise LecternError(
                Code.FAILED_PRECONDITION,
                f"The bucket “{bucket}” does not exist. Create it, or set S3_AUTO_CREATE_BUCKET=true.",
                reason="BUCKET_MISSING",
            )
        await _create(client, bucket, region)
    except LecternError as error:
        if error.reason != "OBJECT_STORE_UNAVAILABLE":
            raise
        raise _explained(error.details.get("cause", ""), bucket, region, endpoint) from error


async def _exists(client: Any, bucket: str) -> bool:
    try:
        with translated(bucket):
            await client.head_bucket(Bucket=bucket)
    except ObjectNotFoundError:
        return False
    except LecternError as error:
        if error.details.get("cause") == "NoSuchBucket":
            return False
        raise
    return True


async def _create(client: Any, bucket: str, region: str) -> None:
    place = {} if region == "us-east-1" else {"LocationConstraint": region}
    with translated(bucket):
        try:
            await client.create_bucket(
                Bucket=bucket, **({"CreateBucketConfiguration": place} if place else {})
            )
        except ClientError as error:
            # Another process was faster.
            if error_code(error) not in {"BucketAlreadyOwnedByYou", "BucketAlreadyExists"}:
                raise


def _explained(cause: str, bucket: str, region: str, endpoint: str) -> LecternError:
    if cause in _REFUSED:
        told = f"refused the access key for the bucket “{bucket}” ({cause}). "
        told += "Check S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY and S3_BUCKET"
    elif cause in _ELSEWHERE:
        told = f"says that the bucket “{bucket}” is not in {region} ({cause}). Check S3_REGION"
    else:
        return LecternError(
            Code.UNAVAILABLE,
            f"The object store at {endpoint} can't be reached ({cause}). Check S3_INTERNAL_ENDPOINT, and "
            "that the store runs.",
            reason="OBJECT_STORE_UNREACHABLE",
            details={"cause": cause},
        )
    return LecternError(
        Code.FAILED_PRECONDITION, f"The object store at {endpoint} {told}.", reason="OBJECT_STORE_UNUSABLE"
    )
