"""`python -m servers.identity_provider PORT`: told by PUT /state what to be like."""

import sys

from aiohttp import web
from aiohttp.typedefs import Handler

from servers.identity_provider.githost import Githost
from servers.identity_provider.openid import OpenidProvider
from servers.identity_provider.people import ProviderState


def main() -> None:
    port = int(sys.argv[1])
    state = ProviderState()
    openid = OpenidProvider(issuer=f"http://localhost:{port}", state=state)

    async def tell(request: web.Request) -> web.Response:
        told = await request.json()
        state.person = told["person"]
        state.faults = told["faults"]
        if told["rotate"]:
            openid.rotate()
        return web.Response()

    @web.middleware
    async def broken(request: web.Request, handler: Handler) -> web.StreamResponse:
        status = state.faults.get("status", {}).get(request.path)
        return web.Response(status=status) if status else await handler(request)

    app = web.Application(middlewares=[broken])
    app.add_routes([*openid.routes(), *Githost(state=state).routes(), web.put("/state", tell)])
    web.run_app(app, host="localhost", port=port, print=None)


if __name__ == "__main__":
    main()
