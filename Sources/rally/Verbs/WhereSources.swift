import RallyCommand
import RallyDomain
import RallySystem
import RallyWire
import RallyWords

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
