"""Queries on results and on tables, as the client writes them."""

import uuid

from support import check, refused


async def check_rows(ana, ben, eve):
    both = {"p_user_ids": [ana.id, ben.id]}
    people = (
        await ana.client.rpc("fetch_profiles", both).order("username", desc=True).limit(1).execute()
    )
    check([row["id"] for row in people.data] == [ben.id], "results are sorted and cut")
    one = await ana.client.rpc("fetch_friends").select("id", "last_seen").single().execute()
    check(one.data == {"id": ben.id, "last_seen": None}, "a single row comes bare")
    read = await ana.client.rpc("fetch_profiles", both, get=True).eq("id", ben.id).execute()
    check([row["id"] for row in read.data] == [ben.id], "and filtered, also by GET")

    friendships = ana.client.from_("friendships")
    mine = await friendships.select("*").eq("requester_id", ana.id).execute()
    check([row["addressee_id"] for row in mine.data] == [ben.id], "ana reads her friendship")
    friendship = mine.data[0]["id"]
    none = await eve.client.from_("friendships").select("*").eq("id", friendship).execute()
    check(none.data == [], "eve does not")
    either = (
        await ben.client.from_("friendships")
        .select("who:requester_id")
        .or_(f"requester_id.eq.{ana.id},and(status.eq.pending,version.gt.7)")
        .execute()
    )
    check(either.data == [{"who": ana.id}], "conditions are joined and columns renamed")

    profiles = ana.client.from_("profiles")
    counted = await profiles.select("username", count="exact").range(0, 0).execute()
    check(counted.count == 2 and len(counted.data) == 1, "rows are counted beyond the page")
    rest = await profiles.select("username").order("username").range(1, 5).execute()
    check([row["username"] for row in rest.data] == [ben.username], "and the next page follows")
    head = await profiles.select("*", count="exact", head=True).execute()
    check(head.count == 2, "or counted without any")
    wanted = [ben.id, str(uuid.uuid4())]
    listed = await profiles.select("id").in_("id", wanted).execute()
    check(listed.data == [{"id": ben.id}], "people are found by a list of ids")
    like = await profiles.select("id").like("username", "ben*").neq("id", ana.id).execute()
    check(like.data == [{"id": ben.id}], "and by a pattern")
    odd = ana.client.from_("missions").select("*").eq("title", 'a,b "c"')
    check(await odd.maybe_single().execute() is None, "a single row may be missing")

    await refused("PGRST116", profiles.select("*").single(), "two rows are not one")
    await refused("42703", profiles.select("password"), "there is no such column")
    await refused("42703", profiles.select("password", head=True), "nor is it counted")
    again = await ana.call("fetch_profiles", user_ids=[ana.id])
    check(again[0]["id"] == ana.id, "and the connection goes on")
    await refused("22P02", profiles.select("*").eq("id", "x"), "an id is an id")
    await refused("PGRST205", ana.client.from_("users").select("*"), "there is no such table")
    await refused("42501", profiles.update({"bio": "x"}).eq("id", ben.id), "rows are not updated")
    await refused("42501", friendships.delete().eq("id", friendship), "nor deleted")
    beyond = profiles.select("*", count="exact").range(9, 9)
    await refused("PGRST103", beyond, "a page may be beyond the last")
