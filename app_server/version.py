"""The version of the installed distribution."""

from importlib.metadata import PackageNotFoundError, version


def program_version() -> str:
    try:
        return version("lectern")
    except PackageNotFoundError:
        return "source"  # run from a checkout that isn't installed
