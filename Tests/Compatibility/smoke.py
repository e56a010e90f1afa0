"""Two people become friends through the official Python client, and see it happen.

Usage: smoke.py URL KEY
Prints what it saw; exits 0 when all of it was right, 1 otherwise.
"""

import asyncio
import logging
import sys
import uuid

from postgrest.exceptions import APIError
from realtime import RealtimeSubscribeStates
from supabase import acreate_client
from supabase_auth.errors import AuthApiError

PATIENCE = 10.0


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


async def sign_up(url, key, name):
    client = await acreate_client(url, key)
    username = f"{name}_{uuid.uuid4().hex[:8]}"
    answer = await client.auth.sign_up(
        {
            "email": f"{username}@example.org",
            "password": "correct horse",
            "options": {"data": {"username": username, "display_name": name.title()}},
        }
    )
    check(answer.session is not None, f"{name} signed up and is signed in")
    check(answer.user.user_metadata["username"] == username, f"{name}'s metadata came back")
    return client, answer.user.id, username


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


async def until(condition, sentence):
    for _ in range(int(PATIENCE / 0.02)):
        if condition():
            break
        await asyncio.sleep(0.02)
    check(condition(), sentence)


async def listen(client):
    """Changes of `friendships`, from the moment when nothing can be missed."""
    changes = asyncio.Queue()
    live = asyncio.Event()
    channel = client.channel("friendships")
    channel.on_postgres_changes("*", changes.put_nowait, table="friendships", schema="public")
    channel.on_system(lambda payload: live.set())
    await subscribed(channel, live)
    return changes


async def next_change(changes):
    change = await asyncio.wait_for(changes.get(), PATIENCE)
    data = change["data"]
    return data["type"], data.get("record"), data.get("old_record")


async def read_rows(ana, ana_id, ben, ben_id, eve):
    """Queries on results and on tables, as the client writes them."""
    people = await ana.rpc("fetch_profiles", {"p_user_ids": [ana_id, ben_id]}).order(
        "username", desc=True
    ).limit(1).execute()
    check([row["id"] for row in people.data] == [ben_id], "results are sorted and cut")
    one = await ana.rpc("fetch_friends").select("id", "last_seen").single().execute()
    check(one.data == {"id": ben_id, "last_seen": None}, "a single row comes bare")

    read = await ana.rpc("fetch_profiles", {"p_user_ids": [ana_id, ben_id]}, get=True).eq(
        "id", ben_id
    ).execute()
    check([row["id"] for row in read.data] == [ben_id], "and filtered, also by GET")

    mine = await ana.from_("friendships").select("*").eq("requester_id", ana_id).execute()
    check([row["addressee_id"] for row in mine.data] == [ben_id], "ana reads her friendship")
    friendship = mine.data[0]["id"]
    none = await eve.from_("friendships").select("*").eq("id", friendship).execute()
    check(none.data == [], "eve does not")
    either = await ben.from_("friendships").select("who:requester_id").or_(
        f"requester_id.eq.{ana_id},and(status.eq.pending,version.gt.7)"
    ).execute()
    check(either.data == [{"who": ana_id}], "conditions are joined and columns renamed")
    counted = await ana.from_("profiles").select("username", count="exact").range(0, 0).execute()
    check(counted.count == 2 and len(counted.data) == 1, "rows are counted beyond the page")
    head = await ana.from_("profiles").select("*", count="exact", head=True).execute()
    check(head.count == 2, "and without any")
    listed = await ana.from_("profiles").select("id").in_("id", [ben_id, str(uuid.uuid4())]).execute()
    check(listed.data == [{"id": ben_id}], "people are found by a list of ids")
    maybe = await ana.from_("missions").select("*").eq("title", 'a,b "c"').maybe_single().execute()
    check(maybe is None, "a single row may be missing")
    for code, query in (
        ("PGRST116", ana.from_("profiles").select("*").single()),
        ("42703", ana.from_("profiles").select("password")),
        ("22P02", ana.from_("profiles").select("*").eq("id", "x")),
        ("PGRST205", ana.from_("users").select("*")),
        ("42501", ana.from_("profiles").update({"bio": "x"}).eq("id", ben_id)),
        ("42501", ana.from_("friendships").delete().eq("id", friendship)),
    ):
        try:
            await query.execute()
            check(False, f"{code} is raised")
        except APIError as error:
            check(error.code == code, f"{code} is raised")


async def main(url, key):
    dropped = Dropped()
    logging.getLogger("realtime").addHandler(dropped)

    ana, ana_id, ana_name = await sign_up(url, key, "ana")
    ben, ben_id, ben_name = await sign_up(url, key, "ben")
    eve, _, _ = await sign_up(url, key, "eve")

    try:
        await ana.auth.sign_in_with_password(
            {"email": f"{ana_name}@example.org", "password": "wrong horse"}
        )
        check(False, "a wrong password is refused")
    except AuthApiError as error:
        check(error.code == "invalid_credentials", "a wrong password is refused")

    found = await ana.rpc("search_people", {"p_query": ben_name}).execute()
    check([row["id"] for row in found.data] == [ben_id], "ana finds ben")
    check(found.data[0]["friendship_status"] == "none", "they are strangers")

    changes = await listen(ben)
    foreign = await listen(eve)

    await ana.rpc("request_friend", {"p_user_id": ben_id}).execute()
    kind, record, _ = await next_change(changes)
    check(kind == "INSERT" and record["status"] == "pending", "ben sees the request live")
    check(record["requester_id"] == ana_id, "and who asked")

    await ben.rpc("respond_to_friend_request", {"p_user_id": ana_id, "p_accept": True}).execute()
    kind, record, _ = await next_change(changes)
    check(kind == "UPDATE" and record["status"] == "accepted", "ben sees the friendship live")
    friends = await ana.rpc("fetch_friends").execute()
    check([row["id"] for row in friends.data] == [ben_id], "ana has ben in her list")

    state = await ben.rpc("fetch_friendship_status", {"p_user_id": ana_id}).execute()
    check(state.data == "friends", "a scalar comes bare")

    await read_rows(ana, ana_id, ben, ben_id, eve)

    try:
        await ana.rpc("request_friend", {"p_user_id": ana_id}).execute()
        check(False, "befriending oneself is refused")
    except APIError as error:
        check(error.hint == "yourself", "befriending oneself is refused with a machine word")
    try:
        await ana.rpc("request_friend", {"p_wrong": 1}).execute()
        check(False, "wrong argument names are refused")
    except APIError as error:
        check(error.code == "PGRST202", "wrong argument names are refused")

    rooms = {}
    for name, client in (("ana", ana), ("ben", ben), ("eve", eve)):
        room = client.channel("presence")
        room.on_presence_sync(lambda: None)
        rooms[name] = room
        await subscribed(room)
        await room.track({"device": name})
    await until(
        lambda: set(rooms["ana"].presence_state()) == {ana_id, ben_id}, "ana sees ben's presence"
    )
    await until(
        lambda: set(rooms["ben"].presence_state()) == {ana_id, ben_id}, "ben sees ana's presence"
    )
    await until(lambda: len(rooms["eve"].presence_state()) == 1, "eve sees only herself")
    friends = await ana.rpc("fetch_friends").execute()
    check(friends.data[0]["presence"] == "online", "ben is online in ana's list")

    await ana.rpc("block_user", {"p_user_id": ben_id}).execute()
    kind, _, old = await next_change(changes)
    check(kind == "DELETE" and set(old) == {"id"}, "ben sees the friendship end")
    await until(
        lambda: set(rooms["ben"].presence_state()) == {ben_id}, "and ana's presence with it"
    )
    check(foreign.empty(), "eve heard nothing of any of it")

    session = await ben.auth.refresh_session()
    check(session.session is not None, "ben's session is refreshed")
    user = await ben.auth.update_user({"data": {"colour": "green"}})
    check(user.user.user_metadata["username"] == ben_name, "metadata is merged")
    current = await ben.auth.get_user()
    check(current.user.user_metadata["colour"] == "green", "and kept")
    await ben.rpc("fetch_friends").execute()

    for client in (ana, ben, eve):
        await client.remove_all_channels()
        await client.realtime.close()
        await client.auth.sign_out()
    check(dropped.lines == [], f"no frame was dropped {dropped.lines}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        asyncio.run(asyncio.wait_for(main(sys.argv[1], sys.argv[2]), 60))
    except Exception as error:  # The reason belongs on stderr, in one line.
        print(f"FAIL {type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)
