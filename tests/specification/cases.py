"""For every variable: texts that are accepted, with the value that they have, and texts that are refused.

{files} is a folder that the tests fill; context is what a variable needs beside it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

CREDS = "-----BEGIN NATS USER JWT-----\nx\n------\n-----BEGIN USER NKEY SEED-----\ny\n------\n"
SEED = '{"version": 1}'
PASSWORD = "sixteen of them!"
FILES = {
    "user.creds": CREDS,
    "seed.json": SEED,
    "bad-seed.json": '{"version": 1, "more": 2}',
    "password": f"{PASSWORD}\n",
    "short": "sixteen - 1 char\n\n"[:15] + "\n",
    "file": "",
}
_EXTERNAL_STORE = {
    "USE_EMBEDDED_OBJSTORE": "false",
    "S3_INTERNAL_ENDPOINT": "http://minio:9000",
    "S3_ACCESS_KEY_ID": "access",
    "S3_SECRET_ACCESS_KEY": "secret-key",
    "S3_BUCKET": "books",
    "S3_REGION": "eu-central-1",
}


@dataclass(frozen=True)
class Case:
    """without_effect are texts that are no fault, but do nothing: they are noticed."""

    accepted: Mapping[str, str | None]
    refused: tuple[str, ...] = ()
    without_effect: Mapping[str, str] = field(default_factory=dict)
    context: Mapping[str, str] = field(default_factory=dict)


_BOOLEAN = Case({"true": "true", "FALSE": "false", "1": "true", "off": "false"}, ("maybe", "2", "truee"))
_PORT = Case({"4321": "4321", " 65535 ": "65535"}, ("0", "65536", "3003.5", "-1", "http", "²"))
_SECRET = Case(
    {"b64+/text==0123456789": "b64+/text==0123456789"},
    ("short", "$(openssl rand -base64 32)", "`pwd` 0123456789ab"),
)
_MILLISECONDS = Case({"900": "900"}, ("0", "-5", "5s", "1.5", "9" * 20))
_BYTES = Case({"1048576": "1048576"}, ("0", "-1", "64MB", "1e9"))
_WORD = Case({"aB3-_/+=": "aB3-_/+="}, ("two words", "tab\there", "line\nbreak"))
_LEVEL = Case({"debug": "debug", "WARN": "warning", "error": "error"}, ("loud", "trace", "7"))
_WEB_URL = Case(
    {"https://models.example.org/x/": "https://models.example.org/x"},
    ("models.example.org", "ftp://a/b", "https://a/?q=1"),
)
_DIRECTORY = Case({"{files}": "{files}", "a/b": "a/b"}, ("{files}/file", "new\nline"))

CASES: dict[str, Case] = {
    "BASE_URL": Case(
        {"HTTP://LocalHost:3003/": "http://localhost:3003", "http://localhost:80": "http://localhost"},
        (
            "localhost:3003",
            "ftp://localhost",
            "http://localhost/lectern",
            "http://user@localhost",
            "http://a b",
        ),
    ),
    "AUTH_SECRET": _SECRET,
    "AUTH_TRUSTED_ORIGINS": Case(
        {"https://A.example:443, http://b.example:8080": "https://a.example http://b.example:8080"},
        ("https://a.example, b.example", "*"),
    ),
    "DISABLE_AUTH_RATE_LIMIT": _BOOLEAN,
    "ACCOUNT_EMAIL_API_URL": Case(
        {
            "https://mail.example/v1/": "https://mail.example/v1",
            "http://127.0.0.1:8025": "http://127.0.0.1:8025",
        },
        ("mail.example", "http://mail.example"),
    ),
    "APP_HOST": Case({"0.0.0.0": "0.0.0.0", "[::1]": "::1"}, ("example.org", "127.0.0.1:80")),
    "PORT": _PORT,
    "AUTH_MODE": Case({"accounts": "accounts", "single-user": "single-user"}, ("none", "single user")),
    "USE_ANONYMOUS_AUTH_SESSIONS": _BOOLEAN,
    "GITHOST_CLIENT_ID": _WORD,
    "GITHOST_CLIENT_SECRET": _WORD,
    "GITHOST_BASE_URL": Case(
        {
            "https://git.example.org/": "https://git.example.org",
            "http://localhost:8080": "http://localhost:8080",
        },
        ("http://git.example.org", "git.example.org", "https://user:password@git.example.org"),
    ),
    "OIDC_CLIENT_ID": _WORD,
    "OIDC_CLIENT_SECRET": _WORD,
    "OIDC_DISCOVERY_URL": Case(
        {
            f"{origin}/x/.well-known/openid-configuration": f"{origin}/x/.well-known/openid-configuration"
            for origin in ("https://id.example.org", "http://localhost:8080", "http://127.0.0.1")
        },
        (
            "http://id.example.org/.well-known/openid-configuration",
            "http://localhost.example.org/.well-known/openid-configuration",
            "https://id.example.org/",
            "id.example.org/.well-known/openid-configuration",
        ),
    ),
    "OIDC_PROVIDER_ID": Case({"My_id-2": "My_id-2"}, ("my id", "a/b", "é", "githost")),
    "OIDC_PROVIDER_NAME": Case({"Our sign-in": "Our sign-in"}, ("two\nlines",)),
    "OIDC_SCOPES": Case({"openid, email groups": "openid email groups"}, (",", 'openid "email"', "open\\id")),
    "TRUSTED_PROXIES": Case(
        {"127.0.0.1, 10.0.0.0/8,::1": "127.0.0.1/32 10.0.0.0/8 ::1/128"}, ("proxy", "10.0.0.1/8", "*")
    ),
    "CRON_SECRET": _SECRET,
    "HOSTED_PRODUCTION": Case(
        {"true": "true", "false": "false"}, without_effect={"TRUE": "false", "1": "false", "yes": "false"}
    ),
    "RUNTIME_SEED_JSON_PATH": Case(
        {"{files}/seed.json": SEED}, ("seed.json", "/nowhere/seed.json", "{files}", "{files}/bad-seed.json")
    ),
    "RUNTIME_SEED_JSON": Case({SEED: SEED}, ("{}", "no JSON", '{"version": 2}', '{"version": 1, "x": 1}')),
    "BOOTSTRAP_ADMIN_EMAIL": Case(
        {"Admin@Example.org": "admin@example.org"},
        ("admin", "a b@example.org", "@example.org"),
        context={"BOOTSTRAP_ADMIN_PASSWORD": PASSWORD},
    ),
    "BOOTSTRAP_ADMIN_PASSWORD": Case(
        {PASSWORD: PASSWORD, f" {PASSWORD} ": f" {PASSWORD} "},
        (PASSWORD[1:], "short"),
        context={"BOOTSTRAP_ADMIN_EMAIL": "admin@example.org"},
    ),
    "BOOTSTRAP_ADMIN_PASSWORD_FILE": Case(
        {"{files}/password": PASSWORD},
        ("{files}/short", "/nowhere/password", "{files}"),
        context={"BOOTSTRAP_ADMIN_EMAIL": "admin@example.org"},
    ),
    "LOG_FORMAT": Case({"JSON": "json", "pretty": "pretty"}, ("xml", "text")),
    "LOG_LEVEL": _LEVEL,
    "COMPUTE_LOG_LEVEL": _LEVEL,
    "API_BASE": Case(
        {"http://localhost:8880/v1/": "http://localhost:8880/v1"},
        ("localhost:8880", "http://user:key@host/v1"),
    ),
    "API_KEY": _WORD,
    "API_MODEL_NAME": Case({"tts 1": "tts 1"}, ("two\nlines",)),
    "MEDIA_BIN": Case({"/bin/sh": "/bin/sh"}, ("/nowhere/ffmpeg", "{files}", "{files}/file")),
    "SERVER_DB_URL": Case(
        {"postgres://u:p@host:5432/lectern": "postgresql+asyncpg://u:p@host:5432/lectern"},
        ("mysql://host/lectern", "postgresql://host", "host/lectern"),
    ),
    "EMBEDDED_DB_PATH": Case({"{files}/a.db": "{files}/a.db"}, ("{files}", "a\nb")),
    "RUN_DB_MIGRATIONS": _BOOLEAN,
    "RUN_V4_DECOMMISSION": _BOOLEAN,
    "USE_EMBEDDED_OBJSTORE": Case({"true": "true", "false": "false"}, ("embedded",), context=_EXTERNAL_STORE),
    "OBJSTORE_DIR": _DIRECTORY,
    "OBJSTORE_BIND_HOST": Case({"0.0.0.0": "0.0.0.0", "localhost": "localhost"}, ("store.example.org",)),
    "OBJSTORE_ADVERTISE_HOST": Case(
        {"store.lan": "store.lan", "192.168.1.2": "192.168.1.2"}, ("http://store.lan", "store:8333", "a b")
    ),
    "OBJSTORE_PORT": _PORT,
    "OBJSTORE_WAIT_SEC": Case({"60": "60"}, ("0", "20s", "-1")),
    "S3_INTERNAL_ENDPOINT": Case(
        {"http://minio:9000/": "http://minio:9000"}, ("minio:9000", "s3://bucket", "http://a/?b")
    ),
    "S3_PUBLIC_ENDPOINT": Case(
        {
            "https://objects.example.org": "https://objects.example.org",
            "http://localhost:9": "http://localhost:9",
        },
        ("http://objects.example.org", "objects.example.org"),
    ),
    "S3_BROWSER_TRANSPORT": Case(
        {"auto": "auto", "proxy": "proxy", "Presigned": "presigned"}, ("direct", "proxied")
    ),
    "S3_ACCESS_KEY_ID": _WORD,
    "S3_SECRET_ACCESS_KEY": _WORD,
    "S3_BUCKET": Case({"my-books.1": "my-books.1"}, ("Up", "a", "under_score", "-x-")),
    "S3_REGION": Case({"eu-central-1": "eu-central-1", "auto": "auto"}, ("eu central",)),
    "S3_PREFIX": Case({"/a/b/": "a/b"}, ("../other", "a b", "/", "a//b")),
    "S3_FORCE_PATH_STYLE": _BOOLEAN,
    "S3_AUTO_CREATE_BUCKET": _BOOLEAN,
    "IMPORT_LIBRARY_DIRS": Case(
        {"/a,/b": "/a /b", "/a:/b;/c": "/a /b /c", " /a ; ;/a": "/a"}, (",", ":;", "{files}/file")
    ),
    "EMBEDDED_COMPUTE_WORKER_PORT": _PORT,
    "COMPUTE_WORKER_HOST": Case({"::": "::", "127.0.0.1": "127.0.0.1"}, ("worker", "0.0.0.0:8081")),
    "COMPUTE_WORKER_GRPC_PORT": _PORT,
    "COMPUTE_WORKER_URL": Case(
        {"http://worker:8081/": "http://worker:8081"},
        ("worker:8081", "grpc://worker:8081", "http://u@worker"),
    ),
    "COMPUTE_WORKER_GRPC_URL": Case({"grpcs://worker:8082": "grpcs://worker:8082"}, ("http://worker:8082",)),
    "COMPUTE_WORKER_PUBLIC_URL": Case(
        {"https://worker.example.org/": "https://worker.example.org"}, ("worker.example.org", "ftp://w")
    ),
    "COMPUTE_WORKER_TOKEN": _SECRET,
    "COMPUTE_CREDENTIAL_BROKER_TOKEN": _SECRET,
    "TTS_PLAYBACK_TOKEN_SECRET": _SECRET,
    "COMPUTE_CREDENTIAL_BROKER_URL": Case(
        {
            url: url
            for url in (
                "https://reader.example.org/api/internal/compute/tts-credentials",
                "http://app:3003/api/internal/compute/tts-credentials",
                "grpc://127.0.0.1:3004",
            )
        },
        (
            "https://reader.example.org/",
            "http://reader.example.org/api/internal/compute/tts-credentials",
            "grpcs://reader.example.org",
            "app:3003",
        ),
    ),
    "COMPUTE_CREDENTIAL_BROKER_TIMEOUT_MS": _MILLISECONDS,
    "CREDENTIAL_BROKER_GRPC_PORT": _PORT,
    "EMBEDDED_BROKER_PORT": _PORT,
    "EMBEDDED_BROKER_MONITOR_PORT": _PORT,
    "EMBEDDED_BROKER_STORE_DIR": _DIRECTORY,
    "BROKER_URL": Case(
        {"nats://u:p@a:4222, tls://b": "nats://u:p@a:4222,tls://b"}, ("http://broker:4222", "broker:4222")
    ),
    "BROKER_CREDS": Case({CREDS: CREDS.strip()}, ("eyJ0eXAi", "-----BEGIN NATS USER JWT-----")),
    "BROKER_CREDS_FILE": Case(
        {"{files}/user.creds": "{files}/user.creds"}, ("/nowhere.creds", "{files}/password", "{files}")
    ),
    "COMPUTE_PDF_JOB_ATTEMPTS": Case({"3": "3"}, ("0", "three")),
    "COMPUTE_JOBS_STREAM_MAX_BYTES": _BYTES,
    "COMPUTE_EVENTS_STREAM_MAX_BYTES": _BYTES,
    "COMPUTE_JOB_STATES_MAX_BYTES": _BYTES,
    "COMPUTE_BROKER_REPLICAS": Case(
        {"1": "1", "3": "3", "5": "5"}, without_effect={"2": "1", "4": "1", "0": "1", "three": "1"}
    ),
    "COMPUTE_PDF_TIMEOUT_MS": _MILLISECONDS,
    "COMPUTE_ALIGN_TIMEOUT_MS": _MILLISECONDS,
    "COMPUTE_TTS_PLAYBACK_SEGMENT_TIMEOUT_MS": _MILLISECONDS,
    "COMPUTE_OP_STALE_MS": _MILLISECONDS,
    "COMPUTE_PREWARM_MODELS": _BOOLEAN,
    "COMPUTE_ALIGN_ENGINE": Case(
        {"auto": "auto", "acoustic": "acoustic", "model": "model", "none": "none"}, ("whisper", "off")
    ),
    "COMPUTE_MODELS_DIR": _DIRECTORY,
    "ALIGN_MODEL_BASE_URL": _WEB_URL,
    "PDF_LAYOUT_MODEL_BASE_URL": _WEB_URL,
}
