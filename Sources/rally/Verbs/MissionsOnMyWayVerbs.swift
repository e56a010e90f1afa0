import ArgumentParser
import FoundationEssentials
import RallyCommand
import RallyDomain
import RallyText
import RallyWire
import RallyWords

struct MissionsOnMyWay: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "omw", abstract: "Show the members of a mission that you are on your way.",
    discussion: """
      Those who are in it now see your precise position, whatever you share with them besides, \
      until you are there, you leave it, or it is over, for four hours at most. They are named \
      first. Whoever joins later sees nothing of it until you give the command again. \
      `rally location ghost on` ends it too.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The mission.") var mission: String
  @Flag(help: "End it.") var end = false
  @Flag(help: "Begin without asking.") var yes = false

  func run() async throws {
    let session = try await CommandSession(global)
    let me = try await session.requireSession().user.id
    let mission = try await session.mission(named: self.mission)
    let service = await session.services.locationsService
    if end {
      try await service.endOnMyWay(to: mission.id)
      let rows = try await session.publish()
      if global.json { try session.output.json([ComingRow]()) }
      let sharing = await session.sharingSentence(rows)
      session.output.message("You no longer show the way to \(mission.title): \(sharing).")
      return
    }
    try await session.requireWay(to: mission)
    let offer = OnMyWayOffer(to: mission, from: me, at: .now)
    guard !offer.readers.isEmpty else {
      throw VerbFailure(.refused, "Nobody else is in \(mission.title), so nobody would see you.")
    }
    let sentences = offer.sentences { $0.localTime }.joined(separator: " ")
    try Confirmation(isGiven: yes).ask(
      "Show them the way to \(mission.title)?", because: sentences)
    try await service.beginOnMyWay(to: mission.id, readers: offer.readers.map(\.userID))
    let rows = try await session.publish()
    if global.json { try session.output.json(try await session.coming(to: mission)) }
    session.output.message("\(sentences) You are \(await session.sharingSentence(rows)).")
  }
}

struct MissionsComing: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coming", abstract: "Show who is on the way to a mission, as they show it to you.",
    discussion: """
      Distances are straight lines, and times are at the pace that was measured last; no street \
      is looked at. With --json a row has user_id, username, display_name, began_at, until, \
      arrived_at, distance_m, least_minutes, most_minutes, is_moving and location; what is not \
      known is null.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The mission.") var mission: String

  func run() async throws {
    let session = try await CommandSession(global)
    let me = try await session.requireSession().user.id
    let mission = try await session.mission(named: self.mission)
    let rows = try await session.coming(to: mission)
    if global.json { return try session.output.json(rows) }
    session.output.table(
      rows.map { row in
        let name = row.coming.id == me ? "you" : "@\(row.coming.record.username)"
        let words = row.coming.words { $0.localTime }.joined(separator: " · ")
        return [name.cleanedForDisplay, words]
      })
    if rows.isEmpty {
      session.output.message(ComingFormatter.nobody(to: mission))
    }
  }
}

extension CommandSession {
  fileprivate func coming(to mission: Mission) async throws -> [ComingRow] {
    let rows = try await services.missionsService.fetchComing()
    return Coming.all(rows, to: mission, at: .now).map(ComingRow.init)
  }

  /// - Throws: `VerbFailure` with `refused` for a ghost, somebody who is not in the mission, one that
  ///   is over, and where nothing says where I am.
  fileprivate func requireWay(to mission: Mission) async throws {
    if try await ghostPhase() != nil {
      throw VerbFailure(
        .refused, "You are a ghost.", advice: "`rally location ghost off` ends that.")
    }
    guard mission.myState == .joined else {
      throw VerbFailure(
        .refused, "You are not in \(mission.title).",
        advice: "`rally missions join` joins it.")
    }
    guard mission.phase(at: .now).isOpen else {
      throw VerbFailure(.refused, "\(mission.title) is over.")
    }
    if await fix() == nil, try await services.phonesService.fetchPhones().isEmpty {
      throw VerbFailure(
        .refused, "Nobody knows where you are.", advice: "`rally location set PLACE` says it.")
    }
  }
}

/// Somebody on the way to a mission. Scripts build on these names: nothing is renamed or left out,
/// and what is unknown is null.
private struct ComingRow: Encodable {
  let coming: Coming

  init(_ coming: Coming) { self.coming = coming }

  enum CodingKeys: String, CodingKey {
    case username, until, location
    case userID = "user_id"
    case displayName = "display_name"
    case beganAt = "began_at"
    case arrivedAt = "arrived_at"
    case distance = "distance_m"
    case least = "least_minutes"
    case most = "most_minutes"
    case isMoving = "is_moving"
  }

  func encode(to encoder: any Encoder) throws {
    let (row, approach) = (coming.record, coming.approach)
    let (minutes, isMoving): (ClosedRange<Int>?, Bool?) =
      switch approach?.pace {
      case .minutes(let range): (range, true)
      case .notMoving: (nil, false)
      case .unknown, nil: (nil, nil)
      }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(row.userID.wireText, forKey: .userID)
    try container.encode(row.username, forKey: .username)
    try container.encode(row.displayName, forKey: .displayName)
    try container.encode(row.beganAt, forKey: .beganAt)
    try container.encode(row.until, forKey: .until)
    try container.encode(row.arrivedAt, forKey: .arrivedAt)
    try container.encode(
      approach.map { GeoText.rounded($0.distance, uncertainty: $0.uncertainty) },
      forKey: .distance)
    try container.encode(minutes?.lowerBound, forKey: .least)
    try container.encode(minutes?.upperBound, forKey: .most)
    try container.encode(isMoving, forKey: .isMoving)
    try container.encode(row.location.map(SeenRow.init), forKey: .location)
  }
}
