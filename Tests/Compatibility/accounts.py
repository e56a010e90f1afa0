"""Signing in and out, refreshing, changing one's own account."""

import uuid

from support import PASSWORD, Changes, auth_refused, check, connect, until


async def signed_in(url, key, person):
    client = await connect(url, key)
    await client.auth.sign_in_with_password({"email": person.email, "password": PASSWORD})
    return client


async def lives(client):
    """Whether the server still knows the session that the client has."""
    try:
        session = await client.auth.get_session()
        return (await client.auth.get_user(session.access_token)).user is not None
    except Exception:
        return False


async def check_accounts(url, key, ana, ben):
    client = await connect(url, key)
    await auth_refused(
        "invalid_credentials",
        client.auth.sign_in_with_password({"email": ana.email, "password": "wrong horse"}),
        "a wrong password is refused",
    )
    await auth_refused(
        "user_already_exists",
        client.auth.sign_up({"email": ana.email.upper(), "password": PASSWORD + "!"}),
        "a taken address is refused",
    )
    await auth_refused(
        "weak_password",
        client.auth.sign_up({"email": "x@example.org", "password": "short"}),
        "a short password is refused",
    )
    await auth_refused(
        "anonymous_provider_disabled",
        client.auth.sign_in_anonymously(),
        "nobody signs in without a name",
    )
    await auth_refused(
        "validation_failed",
        client.auth.reset_password_for_email(ana.email),
        "a server without mail says so",
    )

    user = (await ana.client.auth.update_user({"data": {"colour": "green", "shoe": 41}})).user
    check(user.user_metadata["username"] == ana.username, "metadata is merged")
    user = (await ana.client.auth.update_user({"data": {"shoe": None}})).user
    check("shoe" not in user.user_metadata, "and null takes a key away")
    check(user.identities[0].provider == "email", "a user has an identity")
    claims = await ana.client.auth.get_claims()
    check(claims["claims"]["sub"] == ana.id, "claims are those of the person")
    await auth_refused(
        "same_password",
        ana.client.auth.update_user({"password": PASSWORD}),
        "the same password is not a new one",
    )
    await auth_refused(
        "email_exists",
        ana.client.auth.update_user({"email": ben.email}),
        "an address belongs to one person",
    )


async def check_sign_out_scopes(url, key, person):
    first, second, third = [await signed_in(url, key, person) for _ in range(3)]
    await first.auth.sign_out({"scope": "others"})
    check(await lives(first), "signing out elsewhere keeps this session")
    check(not await lives(second), "and ends the others")
    check(not await lives(person.client), "all of them")
    third = await signed_in(url, key, person)
    token = (await third.auth.get_session()).access_token
    await third.auth.sign_out({"scope": "local"})
    check(await lives(first), "signing out here keeps the others")
    await auth_refused(
        "session_not_found", first.auth.get_user(token), "a signed-out token stands for nobody"
    )
    await person.client.auth.sign_in_with_password({"email": person.email, "password": PASSWORD})
    await first.auth.sign_out()
    check(not await lives(person.client), "signing out globally ends every session")
    await person.client.auth.sign_in_with_password({"email": person.email, "password": PASSWORD})


async def check_new_password(url, key, person):
    other = await signed_in(url, key, person)
    password = f"horse {uuid.uuid4().hex}"
    await person.client.auth.update_user({"password": password})
    check(not await lives(other), "a new password ends the other sessions")
    check(await lives(person.client), "and not the own one")
    client = await connect(url, key)
    await auth_refused(
        "invalid_credentials",
        client.auth.sign_in_with_password({"email": person.email, "password": PASSWORD}),
        "the old password is worth nothing",
    )
    await client.auth.sign_in_with_password({"email": person.email, "password": password})
    await client.auth.sign_out({"scope": "local"})


async def check_refresh(ana, ben):
    """A channel goes on with the new token."""
    changes = await Changes.of(ben, ("*", "friendships", {}))
    before = await ben.client.auth.get_session()
    refreshed = await ben.client.auth.refresh_session()
    check(refreshed.session.refresh_token != before.refresh_token, "tokens rotate")
    again = await ben.client.auth.refresh_session(before.refresh_token)
    check(
        again.session.refresh_token == refreshed.session.refresh_token,
        "an answer that was lost is given again",
    )
    await ben.client.auth.update_user({"data": {"refreshed": True}})
    # A token with other claims, which even within one second is another one.
    session = (await ben.client.auth.refresh_session()).session
    await ben.client.realtime.set_auth(session.access_token)
    await until(lambda: changes.announcements >= 2, "listening goes on with the new token")
    await ana.call("request_friend", user_id=ben.id)
    kind, record, _ = await changes.next()
    check(kind == "INSERT" and record["requester_id"] == ana.id, "and changes still come")
    await ana.call("cancel_friend_request", user_id=ben.id)
    kind, _, old = await changes.next()
    check(kind == "DELETE" and set(old) == {"id"}, "to the end")
    await ben.client.remove_channel(changes.channel)
