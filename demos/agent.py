"""What an agent does by the server: a game is certified, validated and played in one folder."""

import asyncio
import os
import sys
from typing import Any

from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client

words = ["-m", "qsage_validate", "mcp"]
server = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))
game = {"subject": "httt", "options": {"size": "3x3", "shape": "domino", "depth": 3}}
files = {"formula": "t.qcir", "certificate": "t.aag"}


async def main() -> None:
    async with Client(stdio_client(server)) as client:

        async def call(tool: str, **arguments: Any) -> Any:
            result = await client.call_tool(tool, arguments)
            return result.content if result.is_error else result.structured_content

        print(", ".join(sorted(tool.name for tool in (await client.list_tools()).tools)))
        print("certify:", (await call("certify", **game, **files))["sentence"])
        print("validate:", (await call("validate", **files))["sentence"])
        before = await call("play", **files, moves=[])
        print(before["board"])
        after = await call("play", **files, moves=before["legal_moves"][:1])
        print("play:", after["sentence"])
        print(await call("solve", subject="/etc/passwd"))


asyncio.run(main())
