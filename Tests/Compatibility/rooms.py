"""Broadcasts and presence: what people say and who is there."""

import asyncio

from realtime import RealtimeAcknowledgementStatus

from support import PATIENCE, befriend, check, refused_room, subscribed, until


def room(person, name, *, ack=False, echo=False, key="", private=False):
    return person.client.channel(
        name,
        {
            "config": {
                "broadcast": {"ack": ack, "self": echo},
                "presence": {"key": key, "enabled": False},
                "private": private,
            }
        },
    )


async def hearing(channel, event):
    heard = asyncio.Queue()
    channel.on_broadcast(event, heard.put_nowait)
    await subscribed(channel)
    return heard


async def acknowledged(channel, event, payload):
    """Sends a broadcast and waits until the server has taken it."""
    answer = asyncio.get_running_loop().create_future()
    push = await channel.push(
        "broadcast", {"type": "broadcast", "event": event, "payload": payload}
    )
    push.receive(RealtimeAcknowledgementStatus.Ok, lambda _: answer.set_result("ok"))
    push.receive(RealtimeAcknowledgementStatus.Error, lambda _: answer.set_result("error"))
    return await asyncio.wait_for(answer, PATIENCE)


async def check_broadcast(ana, ben):
    for_ana = room(ana, "harbour", ack=True, echo=True)
    for_ben = room(ben, "harbour")
    ana_hears = await hearing(for_ana, "shout")
    ben_hears = await hearing(for_ben, "shout")
    check(await acknowledged(for_ana, "shout", {"n": 1}) == "ok", "a broadcast is acknowledged")
    for heard in (ana_hears, ben_hears):
        payload = (await asyncio.wait_for(heard.get(), PATIENCE))["payload"]
        check(payload == {"n": 1}, "both hear it, who asked for that herself")
    await for_ben.send_broadcast("shout", {"n": 2})
    payload = (await asyncio.wait_for(ana_hears.get(), PATIENCE))["payload"]
    check(payload == {"n": 2}, "ana hears ben")
    await for_ana.http_send("shout", {"n": 3})
    for heard in (ana_hears, ben_hears):
        payload = (await asyncio.wait_for(heard.get(), PATIENCE))["payload"]
        check(payload == {"n": 3}, "both hear what came over HTTP")
    check(ben_hears.empty(), "ben does not hear himself")

    await for_ben.unsubscribe()
    await until(lambda: for_ben.is_closed, "ben leaves")
    check(await acknowledged(for_ana, "shout", {"n": 4}) == "ok", "ana goes on")
    await asyncio.wait_for(ana_hears.get(), PATIENCE)
    check(ben_hears.empty(), "and ben hears nothing more")
    await ana.client.remove_channel(for_ana)


async def check_private_rooms(ana, ben, eve):
    mission = await ana.call(
        "create_mission", title="Whisper", latitude=1.0, longitude=1.0, radius_m=50
    )
    name = f"mission:{mission['id']}"
    await ana.call("invite_to_mission", mission_id=mission["id"], user_ids=[ben.id])
    for person, topic, sentence in (
        (eve, name, "eve stays outside"),
        (ben, name, "ben too while he has not joined"),
        (ana, "secret", "other rooms are not private"),
    ):
        reason = await refused_room(room(person, topic, private=True))
        check("Unauthorized" in reason, sentence)
    await ben.call("join_mission", mission_id=mission["id"])
    for_ana = room(ana, name, ack=True, private=True)
    for_ben = room(ben, name, private=True)
    heard = await hearing(for_ben, "go")
    await subscribed(for_ana)
    check(await acknowledged(for_ana, "go", {}) == "ok", "ana speaks in the mission's room")
    await asyncio.wait_for(heard.get(), PATIENCE)
    await for_ana.http_send("go", {})
    await asyncio.wait_for(heard.get(), PATIENCE)
    check(heard.empty(), "also over HTTP")
    await ben.call("leave_mission", mission_id=mission["id"])
    await until(lambda: not for_ben.is_joined, "whoever leaves the mission leaves the room")
    await ana.call("cancel_mission", mission_id=mission["id"])
    for client in (ana.client, ben.client, eve.client):
        await client.remove_all_channels()


async def check_presence(ana, ben, eve):
    rooms = {}
    for person in (ana, ben, eve):
        channel = person.client.channel("presence")
        channel.on_presence_sync(lambda: None)
        rooms[person.name] = await subscribed(channel)
        await channel.track({"device": person.name})
    both = {ana.id, ben.id}
    await until(lambda: set(rooms["ana"].presence_state()) == both, "ana sees ben's presence")
    await until(lambda: set(rooms["ben"].presence_state()) == both, "ben sees ana's presence")
    await until(lambda: set(rooms["eve"].presence_state()) == {eve.id}, "eve sees only herself")
    friends = await ana.call("fetch_friends")
    check(friends[0]["presence"] == "online", "ben is online in ana's list")
    await rooms["ben"].untrack()
    await until(lambda: set(rooms["ana"].presence_state()) == {ana.id}, "then he is gone")
    await rooms["ben"].track({"device": "phone"})
    await until(lambda: set(rooms["ana"].presence_state()) == both, "and back")

    await ana.call("block_user", user_id=ben.id)
    await until(lambda: set(rooms["ben"].presence_state()) == {ben.id}, "a block hides both")
    await until(lambda: set(rooms["ana"].presence_state()) == {ana.id}, "from each other")
    await ana.call("unblock_user", user_id=ben.id)
    await befriend(ana, ben)
    await until(lambda: set(rooms["ana"].presence_state()) == both, "friends see each other again")
    await ben.client.remove_channel(rooms["ben"])
    await until(lambda: set(rooms["ana"].presence_state()) == {ana.id}, "until one leaves")

    desk, sofa = room(ana, "lounge", key="desk"), room(ben, "lounge", key="sofa")
    for channel in (desk, sofa):
        channel.on_presence_sync(lambda: None)
        await subscribed(channel)
        await channel.track({"at": "home"})
    await until(lambda: set(desk.presence_state()) == {"desk", "sofa"}, "in a room keys are chosen")
    check(desk.presence_state()["sofa"][0]["at"] == "home", "and say what was tracked")
    for client in (ana.client, ben.client, eve.client):
        await client.remove_all_channels()
