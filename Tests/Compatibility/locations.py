"""Who sees where somebody is, and how exactly."""

from datetime import datetime, timezone

from support import Changes, check


def report(latitude, longitude):
    return {
        "latitude": latitude,
        "longitude": longitude,
        "accuracy_m": 12,
        "battery": 80,
        "recorded_at": datetime.now(timezone.utc).isoformat(),
        "source": "manual",
    }


async def check_locations(ana, ben, eve):
    mine = ("*", "locations", {"filter": f"user_id=eq.{ana.id}"})
    north = ("*", "locations", {"filter": "latitude=gt.60"})
    changes = await Changes.of(ben, mine)
    cold = await Changes.of(ben, north)
    foreign = await Changes.of(eve, ("*", "locations", {}))

    await ana.call("set_location_sharing", user_id=ben.id, mode="precise")
    await ana.call("publish_locations", locations=[report(38.7139, -9.1394)])
    kind, record, _ = await changes.next()
    check(kind == "INSERT" and record["latitude"] == 38.7139, "ben sees where ana is, exactly")
    seen = await ben.call("fetch_friend_locations")
    check([row["user_id"] for row in seen] == [ana.id], "and finds it in the list")
    table = await ben.client.from_("locations").select("precision").eq("user_id", ana.id).execute()
    check(table.data == [{"precision": "precise"}], "and in the table")

    await ana.call("set_location_sharing", user_id=ben.id, mode="approximate_10km")
    kind, record, _ = await changes.next()
    check(kind == "UPDATE" and record["precision"] == "approximate_10km", "then only roughly")
    check(record["latitude"] != 38.7139 and record["battery"] is None, "without what is exact")
    shares = await ana.call("fetch_location_sharing")
    check(
        [row["mode"] for row in shares if row["user_id"] == ben.id] == ["approximate_10km"],
        "ana finds in her list what ben sees",
    )
    await ana.call("set_location_sharing", user_id=ben.id, mode="off")
    kind, _, old = await changes.next()
    check(kind == "DELETE" and old == {"user_id": ana.id}, "and then not at all")
    check(await ben.call("fetch_friend_locations") == [], "not in the list either")
    check(
        await ana.refusal("set_location_sharing", user_id=ben.id, mode="sharp") is not None,
        "other ways of sharing do not exist",
    )
    check(cold.is_quiet, "a filter on the place keeps the rest away")
    check(foreign.is_quiet, "eve heard nothing of any of it")
    for changes in (changes, cold):
        await ben.client.remove_channel(changes.channel)
    await eve.client.remove_channel(foreign.channel)
