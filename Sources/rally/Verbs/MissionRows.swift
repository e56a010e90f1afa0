import RallyDomain
import RallyWire

// The rows that the mission verbs print with `--json`: the wire's, with all keys always present.
// Scripts build on these names: nothing is renamed or left out, and what is unknown is null.

extension JSONValue {
  /// A row with all of these keys; missing values become null.
  init(row: some Encodable, names: [String]) throws {
    guard case .object(var members) = try JSONValue(encoding: row) else {
      self = try JSONValue(encoding: row)
      return
    }
    for name in names where members[name] == nil { members[name] = .null }
    self = .object(members)
  }

  /// A mission as its reader sees it.
  ///
  /// - Parameters:
  ///   - origin: The place to measure the distance from; nil makes it null.
  ///   - now: The time that determines the phase.
  init(mission: Mission, from origin: Coordinate? = nil, at now: WireTime = .now) throws {
    let row = try JSONValue(row: mission.record, names: MissionRecord.names)
    guard case .object(var members) = row else {
      self = row
      return
    }
    members["phase"] = .string(mission.phase(at: now).rawValue)
    members["distance_m"] =
      origin.map { .number($0.distance(to: mission.centre).rounded()) } ?? .null
    if let series = mission.record.series {
      members["series"] = try JSONValue(
        row: series, names: ["month_day", "time_of_day", "until", "next_starts_at"])
    }
    members["objectives"] = .array(
      try mission.record.objectives.map {
        try JSONValue(
          row: $0, names: ["latitude", "longitude", "radius_m", "last_by", "last_at"])
      })
    members["members"] = .array(
      try mission.record.members.map { try JSONValue(row: $0, names: ["joined_at"]) })
    self = .object(members)
  }

  /// A line of a mission's activity.
  init(activity line: MissionActivityRecord) throws {
    try self.init(
      row: line,
      names: [
        "user_id", "username", "display_name", "objective_id", "objective_title", "text",
      ])
  }

  /// An invitation of mine, with the link that also names the server.
  init(invitation: InvitationRecord, by way: InvitationWay) throws {
    try self.init(row: invitation, names: ["mission_id", "mission_title", "uses", "expires_at"])
    guard case .object(var members) = self else { return }
    if way.isLink { members["link"] = .string(way.text(of: invitation.code)) }
    members["used_by"] = .array(invitation.guests.map(JSONValue.string))
    self = .object(members)
  }

  /// The preview of an invitation.
  init(offer: InvitationOffer) throws {
    try self.init(row: offer, names: ["mission", "expires_at"])
    guard case .object(var members) = self, let mission = offer.mission else { return }
    members["mission"] = try JSONValue(row: mission, names: ["ends_at", "capacity"])
    self = .object(members)
  }

  /// The result of accepting an invitation.
  init(result: InvitationResult) throws {
    try self.init(row: result, names: ["friend", "mission"])
    guard case .object(var members) = self, let mission = result.mission.flatMap(Mission.init)
    else { return }
    members["mission"] = try JSONValue(mission: mission)
    self = .object(members)
  }
}
