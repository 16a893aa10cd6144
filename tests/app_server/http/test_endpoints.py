"""What is declared of an address holds before its handler runs."""

from app_fixtures.browser import Instance

from app_server.http.endpoints import endpoints_of

# Pages, and what only programs of ours call.
NOT_OF_THE_API = ("/api/internal/", "/ui/", "/read/", "/app", "/sign")
PAGES = {"/", "/forgot-password", "/reset-password", "/verify-email"}


async def test_every_route_of_the_api_is_declared_as_an_endpoint(instance: Instance) -> None:
    declared = {(endpoint.method, endpoint.path) for endpoint in endpoints_of(instance.app)}
    routes = {
        (route.method, route.resource.canonical)
        for route in instance.app.router.routes()
        if route.resource and route.method != "HEAD"
    }
    others = {path for _, path in routes - declared if not path.startswith(NOT_OF_THE_API)}
    assert others <= PAGES
    assert len(declared) > 20
