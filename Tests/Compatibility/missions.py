"""Doing something together: missions, their members, their lines, and invitations."""

from support import Changes, check


async def check_missions(ana, ben, eve):
    missions = await Changes.of(ben, ("*", "missions", {}))
    lines = await Changes.of(ana, ("INSERT", "mission_activity", {"filter": "kind=eq.said"}))
    foreign = await Changes.of(eve, ("*", "missions", {}), ("*", "mission_activity", {}))

    mission = await ana.call(
        "create_mission",
        title="Count the tiles",
        latitude=38.7139,
        longitude=-9.1394,
        radius_m=100,
        capacity=2,
        visibility="invited",
        objectives=[{"title": "The blue one"}, {"title": "The rest", "count": 2}],
    )
    check(mission["my_state"] == "joined" and mission["member_count"] == 1, "ana has a mission")
    await ana.call("invite_to_mission", mission_id=mission["id"], user_ids=[ben.id])
    kind, record, _ = await missions.next()
    check(kind == "INSERT" and record["id"] == mission["id"], "ben sees that he is invited")
    mission = await ben.call("join_mission", mission_id=mission["id"])
    check(mission["member_count"] == 2, "and joins")
    check(
        await eve.refusal("fetch_mission", mission_id=mission["id"]) == "not_found",
        "for eve it does not exist",
    )
    active = await ben.call("fetch_missions", scope="active")
    check([row["id"] for row in active] == [mission["id"]], "it is among ben's active ones")
    updated = await ana.call("update_mission", mission_id=mission["id"], title="Count all tiles")
    check(updated["title"] == "Count all tiles", "its title changes")

    said = await ben.call("say_in_mission", mission_id=mission["id"], text="found one")
    _, record, _ = await lines.next()
    check(record["id"] == said["id"] and record["text"] == "found one", "ana hears ben live")
    blue = mission["objectives"][0]["id"]
    place = {"latitude": 38.7139, "longitude": -9.1394, "accuracy_m": 5}
    mission = await ben.call("check_in", mission_id=mission["id"], objective_id=blue, **place)
    check(mission["objectives"][0]["check_ins"] == 1, "ben checks in")
    far = {"latitude": 40.0, "longitude": -9.1394, "accuracy_m": 5}
    rest = mission["objectives"][1]["id"]
    refusal = await ben.refusal("check_in", mission_id=mission["id"], objective_id=rest, **far)
    check(refusal is not None, "from elsewhere he cannot")
    activity = await ana.call("fetch_mission_activity", mission_id=mission["id"])
    kinds = [row["kind"] for row in activity]
    check(kinds[:2] == ["checked_in", "said"], "the lines are told, the newest first")
    members = await ana.client.from_("mission_members").select("user_id").execute()
    check({row["user_id"] for row in members.data} == {ana.id, ben.id}, "members are a table")
    done = await ana.call("complete_mission", mission_id=mission["id"])
    check(done["state"] == "completed", "ana completes it")
    check(foreign.is_quiet, "eve heard nothing of any of it")
    await ben.client.remove_channel(missions.channel)
    await ana.client.remove_channel(lines.channel)
    await eve.client.remove_channel(foreign.channel)


async def check_invitations(ana, ben, eve):
    invitation = await ana.call("create_invitation", uses=1)
    offer = await eve.call("fetch_invitation", code=invitation["code"])
    check(offer["kind"] == "friendship" and not offer["is_accepted"], "eve reads the invitation")
    check(offer["inviter"]["id"] == ana.id, "and who invites her")
    result = await eve.call("accept_invitation", code=invitation["code"])
    check(result["friend"]["id"] == ana.id, "she accepts and has a friend")
    known = await ben.call("fetch_invitation", code=invitation["code"])
    check(known["is_accepted"], "ben, who is a friend already, is told so")
    await eve.call("remove_friend", user_id=ana.id)

    mission = await ana.call(
        "create_mission", title="Wait", latitude=0.0, longitude=0.0, radius_m=50
    )
    code = (await ana.call("create_invitation", mission_id=mission["id"]))["code"]
    await ana.call("revoke_invitation", code=code)
    check(await eve.refusal("accept_invitation", code=code) is not None, "a code can be taken back")
    left = await ana.call("cancel_mission", mission_id=mission["id"])
    check(left["state"] == "cancelled", "and a mission called off")
