"""What every check needs: people, a way to say what was right, patience with what comes live."""

import asyncio
import logging
import uuid
from dataclasses import dataclass

from httpx import AsyncClient as HTTPClient
from httpx import Limits
from postgrest.exceptions import APIError
from realtime import RealtimeSubscribeStates
from supabase import AsyncClient, AsyncClientOptions, acreate_client
from supabase_auth.errors import AuthError

PATIENCE = 120.0
PASSWORD = "correct horse"


class Dropped(logging.Handler):
    """Frames that the client cannot validate are only logged; here they count as failures."""

    def __init__(self):
        super().__init__(level=logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


def check(condition, sentence):
    if not condition:
        raise AssertionError(sentence)
    print("ok  ", sentence, flush=True)


@dataclass
class Person:
    """Somebody with an account, signed in by the official client."""

    name: str
    client: AsyncClient
    id: str
    username: str

    @property
    def email(self):
        return f"{self.username}@example.org"

    async def call(self, function, **arguments):
        """The result of a function; arguments are named without their `p_`."""
        named = {f"p_{name}": value for name, value in arguments.items()}
        return (await self.client.rpc(function, named).execute()).data

    async def refusal(self, function, **arguments):
        """The machine word with which a function refuses."""
        try:
            await self.call(function, **arguments)
        except APIError as error:
            return error.hint or error.code
        return None


class Connections:
    """How clients connect."""

    # Whether each call has a connection of its own, so that a balancer chooses its server.
    separate = False


async def connect(url, key):
    options = None
    if Connections.separate:
        limits = Limits(max_keepalive_connections=0)
        options = AsyncClientOptions(httpx_client=HTTPClient(limits=limits, timeout=PATIENCE))
    return await acreate_client(url, key, options)


async def sign_up(url, key, name):
    client = await connect(url, key)
    username = f"{name}_{uuid.uuid4().hex[:8]}"
    answer = await client.auth.sign_up(
        {
            "email": f"{username}@example.org",
            "password": PASSWORD,
            "options": {"data": {"username": username, "display_name": name.title()}},
        }
    )
    check(answer.session is not None, f"{name} signed up and is signed in")
    check(answer.user.user_metadata["username"] == username, f"{name}'s metadata came back")
    return Person(name, client, answer.user.id, username)


async def befriend(one, other):
    await one.call("request_friend", user_id=other.id)
    await other.call("respond_to_friend_request", user_id=one.id, accept=True)


async def refused(code, call, sentence):
    """Expects a refusal of the data services."""
    try:
        await call.execute()
    except APIError as error:
        return check(error.code == code, f"{sentence} ({error.code})")
    check(False, sentence)


async def auth_refused(code, call, sentence):
    """Expects a refusal of the auth service."""
    try:
        await call
    except AuthError as error:
        return check(error.code == code, f"{sentence} ({error.code})")
    check(False, sentence)


# -- What comes live


async def subscribed(channel, live=None):
    joined = asyncio.get_running_loop().create_future()

    def on_state(state, error):
        if state == RealtimeSubscribeStates.SUBSCRIBED and not joined.done():
            joined.set_result(None)
        elif error is not None and not joined.done():
            joined.set_exception(error)

    await channel.subscribe(on_state)
    await asyncio.wait_for(joined, PATIENCE)
    if live is not None:
        await asyncio.wait_for(live.wait(), PATIENCE)
    return channel


async def refused_room(channel):
    """The reason with which a join is refused; the client would try again, so it has to give up."""
    try:
        await subscribed(channel)
    except Exception as error:  # The client raises a bare one.
        await channel.unsubscribe()
        await until(lambda: channel.is_closed, "and the client gives up")
        return str(error)
    return ""


async def until(condition, sentence):
    for _ in range(int(PATIENCE / 0.02)):
        if condition():
            break
        await asyncio.sleep(0.02)
    check(condition(), sentence)


class Changes:
    """Changes of tables, from the moment when nothing can be missed."""

    def __init__(self):
        self.queue = asyncio.Queue()
        self.live = asyncio.Event()
        self.announcements = 0
        self.channel = None

    @classmethod
    async def of(cls, person, *bindings):
        """Listens with bindings `(event, table, options)`."""
        self = cls()
        self.channel = person.client.channel(f"changes-{uuid.uuid4().hex[:8]}")
        for event, table, options in bindings:
            self.channel.on_postgres_changes(
                event, self.queue.put_nowait, table=table, schema="public", **options
            )
        self.channel.on_system(self._announced)
        await subscribed(self.channel, self.live)
        return self

    def _announced(self, payload):
        self.announcements += 1
        self.live.set()

    async def next(self):
        change = await asyncio.wait_for(self.queue.get(), PATIENCE)
        data = change["data"]
        return data["type"], data.get("record"), data.get("old_record")

    @property
    def is_quiet(self):
        return self.queue.empty()
