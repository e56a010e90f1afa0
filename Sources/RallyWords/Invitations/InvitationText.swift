import RallyClient
import RallyDomain
import RallySystem
import RallyWire

/// Texts about invitations, shared by the sheet and the command line.
public enum InvitationText {
  /// `friendship`, or `mission: Fog run`.
  public static func purpose(of invitation: InvitationRecord) -> String {
    invitation.kind == .friendship
      ? "friendship" : "mission: \(invitation.missionTitle ?? "one that is gone")"
  }

  /// `1 use`, `used 2 of 5`.
  public static func uses(of invitation: InvitationRecord) -> String {
    switch (invitation.used, invitation.uses) {
    case (0, 1?): "1 use"
    case (0, let uses?): "\(uses) uses"
    case (let used, let uses?): "used \(used) of \(uses)"
    case (let used, nil): used == 0 ? "any number of uses" : "used \(used) times"
    }
  }

  /// What one of my codes offers.
  public static func sentence(on invitation: InvitationRecord) -> String {
    let gift =
      invitation.kind == .friendship
      ? "Whoever accepts it becomes your friend"
      : "Whoever accepts it joins \(invitation.missionTitle ?? "the mission")"
    let end = invitation.expiresAt.map { ", until \(Age.day($0))" } ?? ""
    return "\(gift): \(uses(of: invitation))\(end)."
  }

  /// Who came by one of my codes; nil for nobody.
  public static func guests(of invitation: InvitationRecord) -> String? {
    guard !invitation.guests.isEmpty else { return nil }
    return "By it came \(invitation.guests.map { "@\($0)" }.joined(separator: ", "))."
  }

  /// What somebody else's code offers to me, one sentence per line.
  public static func lines(on offer: InvitationOffer, at now: WireTime) -> [String] {
    let inviter = "\(offer.inviter.displayName) (@\(offer.inviter.username))"
    guard let mission = offer.mission else {
      return offer.isAccepted
        ? ["You and \(inviter) are friends already."]
        : [
          "\(inviter) invites you to be friends.",
          "Each of you then sees when the other is online; where you are only if you share it.",
        ]
    }
    if offer.isAccepted { return ["You are in \(mission.title) already."] }
    var lines = ["\(inviter) invites you to \(mission.title)."]
    if !mission.brief.isEmpty { lines.append(mission.brief) }
    if let place = Coordinate(latitude: mission.latitude, longitude: mission.longitude) {
      lines.append("At \(place).")
    }
    lines.append(
      mission.startsAt > now
        ? "It starts on \(day(mission.startsAt))." : "It is running.")
    if let end = mission.endsAt { lines.append("It ends on \(day(end)).") }
    let places = mission.capacity.map { " of \($0)" } ?? ""
    lines.append(
      "\(mission.memberCount)\(places) \(mission.memberCount == 1 ? "is" : "are") in it.")
    if mission.isFull { lines.append("All places are taken.") }
    return lines
  }

  /// What a link of another server leads to, one sentence per line.
  public static func lines(
    on link: InvitationLink, profile: String, at server: ServerChoice
  ) -> [String] {
    let here = server.url.map { "on \($0)" } ?? "on this machine"
    return [
      "This invitation is for \(link.server?.description ?? "another server").",
      "You are signed in \(here). That stays as it is.",
      "The profile “\(profile)” keeps the other account apart; later `rally --profile \(profile)` opens it.",
    ]
  }

  /// The result of accepting.
  public static func sentence(on result: InvitationResult) -> String {
    if let friend = result.friend { return "You and @\(friend.username) are friends now." }
    return "You are in \(result.mission?.title ?? "the mission")."
  }

  /// Why what is passed on is no link that anybody can open; nil if it is one, or that is unknown.
  package static func limit(of way: InvitationWay) -> String? {
    switch way.limit {
    case .thisMachine: "It works for the accounts of this machine, whose server it is from."
    case .noPublicURL:
      "It is no link for a browser: the server does not say how it is reached (`rally serve"
        + " --public-url`)."
    case nil: nil
    }
  }

  private static func day(_ time: WireTime) -> String {
    "\(Age.day(time)), \(time.zulu.dropFirst(11).prefix(5)) UTC"
  }
}
