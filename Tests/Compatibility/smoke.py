"""Three people use the server through the official Python client: all that it offers.

Usage: smoke.py URL KEY [separate]
With `separate` each call has a connection of its own.
Prints what it saw; exits 0 when all of it was right, 1 otherwise.
"""

import sys

sys.dont_write_bytecode = True

import asyncio
import logging
import traceback

from accounts import check_accounts, check_new_password, check_refresh, check_sign_out_scopes
from friends import check_block, check_friends
from locations import check_locations
from missions import check_invitations, check_missions
from pages import check_pages
from rooms import check_broadcast, check_presence, check_private_rooms
from rows import check_rows
from support import Connections, Dropped, check, sign_up


async def main(url, key):
    dropped = Dropped()
    logging.getLogger("realtime").addHandler(dropped)
    ana, ben, eve = [await sign_up(url, key, name) for name in ("ana", "ben", "eve")]

    await check_accounts(url, key, ana, ben)
    await check_refresh(ana, ben)
    await check_friends(ana, ben, eve)
    await check_rows(ana, ben, eve)
    await check_locations(ana, ben, eve)
    await check_missions(ana, ben, eve)
    await check_invitations(ana, ben, eve)
    await check_pages(eve)
    await check_broadcast(ana, ben)
    await check_presence(ana, ben, eve)
    check(dropped.lines == [], f"no frame was dropped {dropped.lines}")
    # From here on the client logs joins that are refused on purpose.
    await check_private_rooms(ana, ben, eve)
    await check_block(ana, ben)
    await check_sign_out_scopes(url, key, eve)
    await check_new_password(url, key, ben)

    for person in (ana, ben, eve):
        await person.client.remove_all_channels()
        await person.client.realtime.close()
        await person.client.auth.sign_out()


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["separate"]):
        sys.exit(__doc__)
    Connections.separate = len(sys.argv) == 4
    try:
        asyncio.run(asyncio.wait_for(main(sys.argv[1], sys.argv[2]), 150))
    except Exception as error:  # The reason belongs on stderr, with the place it came from.
        traceback.print_exc()
        print(f"FAIL {type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)
