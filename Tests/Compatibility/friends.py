"""Asking, accepting, blocking, and who hears of it."""

from support import Changes, check, refused


async def check_friends(ana, ben, eve):
    found = await ana.call("search_people", query=ben.username)
    check([row["id"] for row in found] == [ben.id], "ana finds ben")
    check(found[0]["friendship_status"] == "none", "they are strangers")

    mine = {"filter": f"addressee_id=eq.{ben.id}"}
    pending = {"filter": "status=eq.pending,version=lt.2", "select": ["status", "requester_id"]}
    changes = await Changes.of(ben, ("*", "friendships", {}))
    inserts = await Changes.of(ben, ("INSERT", "friendships", mine))
    columns = await Changes.of(ben, ("*", "friendships", pending))
    foreign = await Changes.of(eve, ("*", "friendships", {}), ("*", "missions", {}))

    await ana.call("request_friend", user_id=ben.id)
    kind, record, _ = await changes.next()
    check(kind == "INSERT" and record["status"] == "pending", "ben sees the request live")
    check(record["requester_id"] == ana.id, "and who asked")
    check((await inserts.next())[0] == "INSERT", "also with a filter")
    _, cut, _ = await columns.next()
    check(cut == {"status": "pending", "requester_id": ana.id}, "and in the columns wanted")
    asked = await ben.call("fetch_friend_requests", direction="incoming")
    check([row["id"] for row in asked] == [ana.id], "ben finds the request in his list")
    outgoing = await ana.call("fetch_friendship_status", user_id=ben.id)
    check(outgoing == "outgoing", "a scalar comes bare")

    await ben.call("respond_to_friend_request", user_id=ana.id, accept=True)
    kind, record, _ = await changes.next()
    check(kind == "UPDATE" and record["status"] == "accepted", "ben sees the friendship live")
    friends = await ana.call("fetch_friends")
    check([row["id"] for row in friends] == [ben.id], "ana has ben in her list")
    check(inserts.is_quiet and columns.is_quiet, "filters keep the rest away")

    refusal = await ana.refusal("request_friend", user_id=ana.id)
    check(refusal == "yourself", "nobody befriends themselves")
    misnamed = ana.client.rpc("request_friend", {"p_wrong": 1})
    await refused("PGRST202", misnamed, "arguments have names")
    renamed = await ana.call("update_profile", display_name="Ana A.", bio="hello")
    check(renamed["display_name"] == "Ana A.", "a composite comes as one object")
    check(foreign.is_quiet, "eve heard nothing of any of it")
    for changes in (changes, inserts, columns):
        await ben.client.remove_channel(changes.channel)
    await eve.client.remove_channel(foreign.channel)


async def check_block(ana, ben):
    changes = await Changes.of(ben, ("*", "friendships", {}))
    await ana.call("block_user", user_id=ben.id)
    kind, _, old = await changes.next()
    check(kind == "DELETE" and set(old) == {"id"}, "ben sees the friendship end")
    blocked = await ana.call("fetch_blocked_users")
    check([row["id"] for row in blocked] == [ben.id], "ana has blocked ben")
    check(await ben.call("search_people", query=ana.username) == [], "ben does not find ana")
    await ana.call("unblock_user", user_id=ben.id)
    await ben.client.remove_channel(changes.channel)
