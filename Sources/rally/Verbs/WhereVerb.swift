import ArgumentParser
import RallyCommand
import RallyDomain
import RallyStreets
import RallySystem
import RallyWire
import RallyWords

struct WhereVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "where", abstract: "Say where your friends are, as far as they show you.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "Only this friend.") var username: String?
  @Flag(help: "Show what says where you are yourself, and why one is taken.") var sources = false

  func validate() throws {
    if sources, username != nil { throw ValidationError("--sources is about you; leave the name.") }
  }

  func run() async throws {
    if sources { return try await showSources() }
    let session = try await CommandSession.signedIn(global)
    let wanted =
      if let username { [try await session.friend(named: username)] } else {
        try await session.friends()
      }
    let rows = try await session.whereRows(of: wanted)
    if global.json { return try session.output.json(rows) }
    session.output.table(rows.map(\.cells), headings: WhereRow.headings)
    if rows.isEmpty {
      session.output.message(
        username == nil
          ? "No friend shows you where they are."
          : "\(wanted.first?.handle ?? "This friend") does not show you where they are.")
    }
    let privacy = await session.restoredPrivacyRules
    if let held = await privacy.sentence(of: session.services.currentLocationProvider) {
      session.output.message("You are \(held).")
    }
  }
}

extension WhereRow {
  static let headings = ["name", "username", "place", "from you", "seen"]

  /// The columns of `headings`.
  var cells: [String] {
    let place = near?.title ?? position.coordinate.description
    let about = position.precision == .precise ? place : "\(place) (\(position.precision.title))"
    let away = me.map { position.way(from: $0, wind: GeoText.direction) }
    return [
      position.profile.displayName, position.profile.handle, about, away ?? "",
      position.precision == .precise
        ? Age.sentence(position.recordedAt, at: now)
        : Age.within(quarter: position.recordedAt, at: now)
          ?? "since \(Age.sentence(position.latestTime, at: now))",
    ]
  }
}

extension CommandSession {
  /// Where these friends are, as far as they show it.
  func whereRows(of friends: [CommunityProfile]) async throws -> [WhereRow] {
    let records = try await services.locationsService.fetchFriendLocations()
    let me = await restoredLocationProvider.coordinate
    let now = WireTime.now
    let tiles = await streetTiles
    var rows: [WhereRow] = []
    for friend in friends {
      guard let record = records.first(where: { $0.userID == friend.id }),
        let position = FriendPosition(record, of: friend)
      else { continue }
      let street = await tiles.place(of: position)
      rows.append(
        WhereRow(
          position: position, me: me,
          near: street ?? PlaceFinder.world.nearest(position.coordinate), now: now))
    }
    return rows
  }
}

extension WhereVerb {
  /// How long sources that have no fix yet are waited for.
  private static let patience = Duration.seconds(10)

  /// Prints what says where this device is. Needs neither a session nor a server.
  func showSources() async throws {
    let session = try await CommandSession(global)
    let choice = try await session.measured(within: Self.patience)
    let now = WireTime.now
    let rows = LocationSourceRow.rows(choice, at: now, hasPositions: true)
    if global.json {
      return try session.output.json(
        LocationSourcesReport(here: choice.fix.map(HereRow.init), sources: rows))
    }
    session.output.table(
      rows.map { [$0.isTaken ? "*" : " ", $0.source, $0.summary, $0.reason] },
      headings: ["", "source", "says", "why"])
    if choice.fix == nil {
      session.output.message(
        "Nothing says where you are. `rally location set PLACE` does, or gpsd or GeoClue: see "
          + "[location] in `rally config dump`.")
    }
  }
}

/// The output of `rally where --sources --json`. Scripts build on these names: nothing is renamed
/// or left out, and what is unknown is null.
private struct LocationSourcesReport: JSONRow {
  /// The position that was taken.
  var here: HereRow?
  /// In the order of the rule.
  var sources: [LocationSourceRow]

  var members: [String: (any Encodable)?] {
    [
      "here": here,
      "sources": sources,
    ]
  }
}

/// What one source says about where this device is, whether it was taken, and why.
struct LocationSourceRow: JSONRow {
  let source: String
  let isTaken: Bool
  /// State, accuracy and age, for people.
  let summary: String
  /// Why it was taken or not.
  let reason: String
  private let candidate: LocationChoice.Candidate
  private let age: Int64?
  /// Whether the position itself is part of the output; a report for others leaves it out.
  private let hasPosition: Bool

  var sentence: String {
    [isTaken ? "taken" : "not taken", reason, summary].filter { !$0.isEmpty }
      .joined(separator: " · ")
  }

  static func rows(
    _ choice: LocationChoice, at now: WireTime, hasPositions: Bool
  ) -> [LocationSourceRow] {
    choice.candidates.map { LocationSourceRow($0, at: now, hasPosition: hasPositions) }
  }

  private init(_ candidate: LocationChoice.Candidate, at now: WireTime, hasPosition: Bool) {
    self.candidate = candidate
    self.hasPosition = hasPosition
    source = candidate.id
    isTaken = candidate.verdict.isTaken
    summary = candidate.summary { Age.sentence($0, at: now) }
    reason = candidate.verdict.sentence(at: now)
    age = candidate.arrivedAt.map { max(0, now.since($0).components.seconds) }
  }

  var members: [String: (any Encodable)?] {
    let fix = candidate.fix
    let known: [String: (any Encodable)?] = [
      "source": source,
      "state": candidate.state?.name,
      "detail": candidate.state?.detail,
      "taken": isTaken,
      "reason": reason,
      "age_seconds": age,
      "accuracy_m": fix?.accuracyMetres,
    ]
    guard hasPosition else { return known }
    let position: [String: (any Encodable)?] = [
      "latitude": fix?.coordinate.latitude,
      "longitude": fix?.coordinate.longitude,
      "speed": fix?.speed,
      "course": fix?.course,
      "recorded_at": fix?.recordedAt,
    ]
    return known.merging(position) { $1 }
  }
}
