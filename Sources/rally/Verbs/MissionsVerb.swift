import ArgumentParser
import RallyCommand
import RallyDomain
import RallySystem
import RallyText
import RallyWire
import RallyWords
import TerminalKit

struct MissionsVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "missions", abstract: "Do things with friends at places.",
    discussion: """
      A mission is named by its id, or by the start of its id or of its title where that is the \
      only one. Places are a city (Lisbon) or latitude,longitude in degrees (38.72,-9.14).

      With --json a mission is an object with id, creator_id, title, brief, latitude, longitude, \
      radius_m, starts_at, ends_at, series (repeats, starts_at, month_day, time_of_day, \
      until, time_zone, skipped, next_starts_at; null for once), capacity, visibility, state, phase, created_at, closed_at, \
      version, objectives (id, title, latitude, longitude, radius_m, count, check_ins, last_by, \
      last_at), members (user_id, username, display_name, state, joined_at), member_count, \
      is_full, my_state, is_live and distance_m; what is not known is null.
      """,
    subcommands: [
      MissionsList.self, MissionsShow.self, MissionsCard.self, MissionsNew.self,
      MissionsEdit.self, MissionVerb<MissionsSkip>.self,
      MissionVerb<MissionsJoin>.self, MissionVerb<MissionsLeave>.self, MissionsCheckIn.self,
      MissionsSay.self, MissionsInvite.self, MissionsOnMyWay.self, MissionsComing.self,
      MissionsLocate.self, MissionVerb<MissionsComplete>.self, MissionVerb<MissionsCancel>.self,
      MissionsImport.self, MissionsExport.self, MissionsCalendar.self,
    ],
    defaultSubcommand: MissionsList.self)
}

extension MissionScope: ExpressibleByArgument {}
extension MissionVisibility: ExpressibleByArgument {}
extension MissionRepeat: ExpressibleByArgument {}

struct MissionsList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List missions.",
    discussion: """
      active are the open ones that you are in or invited to, nearby the open ones around a place, \
      done those that you were in. --near and --radius mean nearby; without --near it is around \
      where you are.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var places: PlaceOptions
  @Option(help: "active, nearby or done.") var scope: MissionScope?
  @Option(parsing: .unconditional, help: "Around this place.") var near: String?
  @Option(help: "How far from there, in kilometres; 50 if left out.") var radius: Double?

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let place: Place? = if let near { try await session.place(typed: near, places) } else { nil }
    let scope = scope ?? (near == nil && radius == nil ? .active : .nearby)
    let metres = try radius.map(Self.metres)
    let here = await session.position()
    let origin = place?.coordinate ?? here
    if scope == .nearby, origin == nil {
      throw VerbFailure(
        .usage, "Nobody knows where you are.",
        advice: "Give --near PLACE, or say it with `rally location set PLACE`.")
    }
    let missions =
      if scope == .nearby, place == nil, let here {
        try await Self.missions(near: here, within: metres, session)
      } else {
        try await session.missions(
          in: scope, around: scope == .nearby ? origin : nil, radiusMetres: metres)
      }
    let now = WireTime.now
    try session.list(
      missions, as: { try JSONValue(mission: $0, from: origin, at: now) },
      headings: ["id", "mission", "done", "when", "members", "you", "from you"],
      nothing: Self.emptySentence(scope)
    ) { $0.cells(from: origin, at: now) }
  }

  /// Missions around me. The server gets the cell that I am in, and no more.
  private static func missions(
    near here: Coordinate, within metres: Double?, _ session: CommandSession
  ) async throws -> [Mission] {
    guard let level = await session.searchLevel() else {
      throw VerbFailure(
        .refused, "Your zones or hours hold back where you are, so nothing near is asked for.",
        advice: "Give --near PLACE.")
    }
    let metres = metres ?? FetchMissions.defaultRadius
    let missions = try await session.missions(
      in: .nearby, around: GridCell(containing: here, level: level).center,
      radiusMetres: min(metres + level.accuracyMetres, FetchMissions.radii.upperBound))
    return missions.filter { here.distance(to: $0.centre) <= metres }
  }

  private static func metres(_ kilometres: Double) throws -> Double {
    let metres = kilometres * 1000
    guard FetchMissions.radii.contains(metres) else {
      throw VerbFailure(
        .usage, "The radius is from 0.001 to 20100 kilometres.", advice: "Type --radius 50.")
    }
    return metres
  }

  private static func emptySentence(_ scope: MissionScope) -> String {
    switch scope {
    case .active: "You are in no mission. `rally missions new` starts one, also alone."
    case .nearby: "No mission is near. `rally missions new` starts one."
    case .done: "No mission is done yet."
    }
  }
}

struct MissionsShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show all of one mission.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The mission.") var mission: String

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let mission = try await session.mission(named: self.mission)
    let here = await session.position()
    if global.json { return try session.output.json(JSONValue(mission: mission, from: here)) }
    session.output.data(mission.title)
    session.output.table(mission.facts(from: here, at: .now).map { ["  \($0.0)", $0.1] })
    session.output.table(mission.objectiveCells(at: .now).map { ["  \($0[0])"] + $0.dropFirst() })
  }
}

extension Mission {
  /// The columns: id, title, progress, time, members, own membership, distance and direction.
  fileprivate func cells(from origin: Coordinate?, at now: WireTime) -> [String] {
    [
      shortID, record.title, ActivityText.progress(self) ?? "",
      MissionFormatter.timeSentence(self, at: now),
      record.capacity.map { "\(record.memberCount)/\($0)" } ?? "\(record.memberCount)",
      record.myState == .invited ? "invited" : record.myState == .joined ? "in it" : "",
      MissionFormatter.way(from: origin, to: centre) ?? "",
    ]
  }

  fileprivate func facts(from origin: Coordinate?, at now: WireTime) -> [(String, String)] {
    var facts = [("id", id.wireText)]
    if !record.brief.isEmpty { facts.append(("about", record.brief)) }
    facts.append(("when", MissionFormatter.timeSentence(self, at: now)))
    if let repeats = MissionFormatter.repeats(self, at: now) { facts.append(("repeats", repeats)) }
    let near = PlaceFinder.world.nearest(centre).map { " near \($0.title)" } ?? ""
    let way = MissionFormatter.way(from: origin, to: centre).map { ", \($0) of you" } ?? ""
    let radius = GeoText.distance(record.radiusMetres)
    facts.append(("where", "\(radius) around \(centre.description)\(near)\(way)"))
    let places = record.capacity.map { " of \($0)" } ?? ""
    let names = joined.map { "@\($0.username)" }.joined(separator: " ")
    let isTakenUnseen = record.isFull && record.capacity.map { record.memberCount < $0 } ?? false
    facts.append(
      ("people", "\(record.memberCount)\(places)\(isTakenUnseen ? ", full" : ""): \(names)"))
    let invited = record.members.filter { $0.state == .invited }.map { "@\($0.username)" }
    if !invited.isEmpty { facts.append(("invited", invited.joined(separator: " "))) }
    facts.append(("seen by", record.visibility.words))
    if record.isLive == true { facts.append(("live", "asks who is on the way at the start")) }
    facts.append(("you", record.myState?.words ?? "not in it"))
    return facts
  }

  /// The columns: number and mark, title, check-ins, by whom and when.
  fileprivate func objectiveCells(at now: WireTime) -> [[String]] {
    record.objectives.enumerated().map { number, objective in
      let last = objective.lastBy.flatMap { last in
        record.members.first { $0.userID == last }
      }
      let when = objective.lastAt.map { Age.sentence($0, at: now) }
      return [
        "\(number + 1) \(objective.isDone ? "[x]" : "[ ]")", objective.title,
        "\(objective.checkIns)/\(objective.count)",
        [last.map { "@\($0.username)" }, when].compactMap(\.self).joined(separator: " "),
      ]
    }
  }
}

extension MissionVisibility {
  fileprivate var words: String {
    switch self {
    case .private: "its creator alone"
    case .invited: "invited people"
    case .friends: "the creator's friends, and invited people"
    }
  }
}

extension MissionMembership {
  fileprivate var words: String {
    switch self {
    case .invited: "invited"
    case .joined: "in it"
    case .left: "you left"
    }
  }
}

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
