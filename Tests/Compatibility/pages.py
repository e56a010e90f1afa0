"""Lists that are longer than an answer may be: going on by the rows that came misses none."""

from support import check

COUNT = 50
# Four bytes each.
FIRE = "\U0001f525"


async def check_pages(eve):
    for number in range(COUNT):
        await eve.call(
            "create_mission",
            title=f"Long {number}",
            brief=FIRE * 500,
            latitude=38.7139,
            longitude=-9.1394,
            radius_m=100,
            objectives=[{"title": FIRE * 60} for _ in range(16)],
        )

    titles, pages = [], 0
    while True:
        arguments = {"p_scope": "active", "p_limit": 200, "p_offset": len(titles)}
        page = await eve.client.rpc("fetch_missions", arguments).execute()
        if not page.data:
            break
        titles += [row["title"] for row in page.data]
        pages += 1
    check(pages > 1, "a function's answer ends before all rows are in it")
    check(len(titles) == len(set(titles)) == COUNT, "and the next ones have the others")

    missions = eve.client.from_("missions")
    ids = []
    while True:
        page = (
            await missions.select("id, brief", count="exact")
            .order("id")
            .range(len(ids), len(ids) + 999)
            .execute()
        )
        check(page.count == COUNT, "a table's rows are counted beyond the answer")
        ids += [row["id"] for row in page.data]
        if len(ids) >= page.count:
            break
    check(ids == sorted(set(ids)) and len(ids) == COUNT, "and none is missing")
    while rows := await eve.call("fetch_missions", scope="active", limit=200):
        for row in rows:
            await eve.call("cancel_mission", mission_id=row["id"])
