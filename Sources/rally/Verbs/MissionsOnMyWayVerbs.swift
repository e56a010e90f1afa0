import ArgumentParser
import FoundationEssentials
import RallyCommand
import RallyDomain
import RallySystem
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
  @Flag(help: "Do not ask for confirmation.") var yes = false

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
    try Confirmation(isGiven: yes).require(
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
    try session.list(rows, as: \.self, nothing: ComingFormatter.nobody(to: mission)) { row in
      let name = row.coming.id == me ? "you" : "@\(row.coming.record.username)"
      return [
        name.cleanedForDisplay, row.coming.words { $0.localTime }.joined(separator: " · "),
      ]
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
    try mission.requireMembership()
    guard mission.phase(at: .now).isOpen else {
      throw VerbFailure(.refused, "\(mission.title) is over.")
    }
    if await fix() == nil, try await services.phonesService.fetchPhones().isEmpty {
      throw VerbFailure(
        .refused, "Nobody knows where you are.", advice: "`rally location set PLACE` says it.")
    }
  }
}

extension Mission {
  /// - Throws: `VerbFailure` with `refused` for somebody who is not in it.
  fileprivate func requireMembership() throws(VerbFailure) {
    guard record.myState == .joined else {
      throw VerbFailure(
        .refused, "You are not in \(record.title).", advice: "`rally missions join` joins it.")
    }
  }
}

/// Somebody on the way to a mission. Scripts build on these names: nothing is renamed or left out,
/// and what is unknown is null.
private struct ComingRow: JSONRow {
  let coming: Coming

  init(_ coming: Coming) { self.coming = coming }

  var members: [String: (any Encodable)?] {
    let (row, approach) = (coming.record, coming.approach)
    let (minutes, isMoving): (ClosedRange<Int>?, Bool?) =
      switch approach?.pace {
      case .minutes(let range): (range, true)
      case .notMoving: (nil, false)
      case .unknown, nil: (nil, nil)
      }
    return [
      "user_id": row.userID.wireText,
      "username": row.username,
      "display_name": row.displayName,
      "began_at": row.beganAt,
      "until": row.until,
      "arrived_at": row.arrivedAt,
      "distance_m": approach.map { GeoText.rounded($0.distance, uncertainty: $0.uncertainty) },
      "least_minutes": minutes?.lowerBound,
      "most_minutes": minutes?.upperBound,
      "is_moving": isMoving,
      "location": row.location.map(SeenRow.init),
    ]
  }
}

struct MissionsLocate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "locate",
    abstract: "Ask the friends in a mission who have not arrived where they are.",
    discussion: """
      Each answers with a share, or not at all, and you are told nothing but the share. Not asked \
      are those who arrived or show you the way, members who are no friends, and friends whom you \
      asked in the last ten minutes. With --json a row has username and result: asked, arrived, \
      on_the_way, not_friend or asked_before.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The mission.") var mission: String

  func run() async throws {
    let session = try await CommandSession(global)
    let me = try await session.requireSession().user.id
    let mission = try await session.mission(named: self.mission)
    try mission.requireMembership()
    let service = await session.services.friendsService
    async let friends = session.friends()
    async let coming = session.services.missionsService.fetchComing()
    async let asks = service.fetchLocationAsks()
    let ask = try await MissionAsk(
      in: mission, by: me, friends: friends, coming: coming, asks: LocationAsks(asks), at: .now)
    for friend in ask.asked { try await service.askLocation(of: friend.id) }
    let rows =
      ask.asked.map { Row(username: $0.username, result: "asked") }
      + ask.others.map { Row(username: $0.member.username, result: $0.reason.rawValue) }
    if global.json {
      try session.output.json(rows)
    } else {
      session.output.table(rows.map { ["@\($0.username)".cleanedForDisplay, $0.words] })
    }
    session.output.message(ask.sentence(asked: ask.asked.count))
  }

  private struct Row: Encodable {
    var username: String
    var result: String
    var words: String { result.replacing("_", with: " ") }

    enum CodingKeys: String, CodingKey { case username, result }
  }
}
