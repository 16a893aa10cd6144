"""Where the program runs, told by the platforms' own variables."""

from collections.abc import Mapping
from typing import Final

# Set by hosting that ends a program with its request: AWS Lambda, Azure Functions, Google Cloud Run and
# Functions, Netlify, Vercel.
_PLATFORM_VARIABLES: Final = (
    "AWS_LAMBDA_FUNCTION_NAME",
    "FUNCTIONS_WORKER_RUNTIME",
    "FUNCTION_TARGET",
    "K_SERVICE",
    "NETLIFY",
    "VERCEL",
)


def request_duration_platform(mapping: Mapping[str, str]) -> str | None:
    """The variable that tells of serverless or request-duration hosting, or None."""
    return next((name for name in _PLATFORM_VARIABLES if mapping.get(name, "").strip()), None)
