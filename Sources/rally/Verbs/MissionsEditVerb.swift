import ArgumentParser
import FoundationEssentials
import RallyCommand
import RallyDomain
import RallySystem
import RallyText
import RallyWire

struct MissionsEdit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change a mission that you created.",
    discussion: """
      What is not named stays as it is. Times are written as for `rally missions new`; never takes \
      the end, the repetition or its end away.

      Of a mission that repeats all occurrences from this one on are changed; `rally missions skip` \
      leaves one out.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var places: PlaceOptions
  @Argument(help: "The mission.") var mission: String
  @Option(help: "What it is called.") var title: String?
  @Option(help: "What it is about.") var brief: String?
  @Option(parsing: .unconditional, help: "Where it is.") var at: String?
  @Option(help: "How far around: 250, 500 m or 2 km.") var radius: String?
  @Option(help: "When it starts.") var starts: String?
  @Option(help: "When it ends, or never.") var ends: String?
  @Option(
    name: .customLong("repeat"), help: "daily, weekly, fortnightly, monthly or never.")
  var repeats: Repetition?
  @Option(help: "The last day it takes place, how many times, or never.") var until: String?
  @Option(help: "How many people it takes, with you.") var capacity: Int?
  @Option(help: "Who may know of it: private, invited or friends.")
  var visibility: MissionVisibility?
  @Flag(
    inversion: .prefixedNo,
    help: "Ask everybody in it to say that they are on the way when it starts, or do not.")
  var live: Bool?

  /// How a mission repeats, or that it does not.
  enum Repetition: ExpressibleByArgument {
    case never
    case every(MissionRepeat)

    init?(argument: String) {
      if argument == "never" {
        self = .never
      } else {
        guard let repeats = MissionRepeat(rawValue: argument) else { return nil }
        self = .every(repeats)
      }
    }

    static var allValueStrings: [String] { MissionRepeat.allCases.map(\.rawValue) + ["never"] }
  }

  func run() async throws {
    let session = try await CommandSession(global)
    _ = try await session.requireSession()
    let place: Place? = if let at { try await session.place(typed: at, places) } else { nil }
    let found = try await session.mission(named: mission)
    let call = try call(on: found, at: place?.coordinate, now: .now)
    let changed = try await session.services.missionsService.updateMission(call)
    if global.json { try session.output.json(JSONValue(mission: changed)) }
    session.output.message("\(changed.title) is changed.")
  }

  /// - Throws: `FieldProblem` for invalid input.
  private func call(
    on mission: Mission, at place: Coordinate?, now: WireTime
  ) throws -> UpdateMission {
    var call = UpdateMission(missionID: mission.id)
    call.title = try title.map(MissionText.title)
    call.brief = try brief.map(MissionText.brief)
    (call.latitude, call.longitude) = (place?.latitude, place?.longitude)
    call.radiusMetres = try radius.map { try RadiusText.parse($0) }
    call.startsAt = try starts.flatMap { try MissionsNew.time($0, .starts, now: now) }
    let start = call.startsAt ?? mission.startsAt
    if ends == Self.never {
      call.endsAt = .clear
    } else if let ends {
      call.endsAt =
        try MissionsNew.time(ends, .ends, after: start, now: now).map { .set($0) } ?? .keep
    }
    try setSeries(of: &call, mission, start: start, now: now)
    if let capacity {
      guard MissionRules.capacities.contains(capacity) else {
        throw FieldProblem(field: .capacity, advice: "A mission takes from 1 to 1000 people.")
      }
      call.capacity = .set(capacity)
    }
    call.visibility = visibility
    call.isLive = live
    return call
  }

  private func setSeries(
    of call: inout UpdateMission, _ mission: Mission, start: WireTime, now: WireTime
  ) throws {
    var series = mission.series
    switch repeats {
    case nil: break
    case .never: (series, call.repeats) = (nil, .clear)
    case .every(let repeats):
      call.repeats = .set(repeats)
      if series == nil {
        let zone = LocalTimeZone.current.identifier
        call.timeZone = zone
        series = MissionSeries(repeats: repeats, startsAt: start, timeZone: zone)
      }
      series?.repeats = repeats
    }
    guard let until else { return }
    if until == Self.never {
      call.repeatUntil = .clear
    } else if let series {
      // Times are counted from the current one.
      let old = mission.series ?? series
      let current = old.moved(
        to: start, from: mission.startsAt, repeats: series.repeats, timeZone: series.timeZone)
      call.repeatUntil =
        try RepeatText.until(until, of: current, now: now).map { .set($0) } ?? .keep
    } else {
      throw FieldProblem(field: .until, advice: "Say how it repeats: --repeat weekly.")
    }
  }

  private static let never = "never"
}

enum MissionsSkip: MissionAct {
  static let name = "skip"
  static let abstract = "Leave out this occurrence of a mission of yours that repeats."
  static let discussion = "Everybody stays in it, and the next one follows."

  static func act(on id: UUID, with service: MissionsService) async throws -> Mission {
    try await service.skipOccurrence(id)
  }
  static func sentence(on mission: Mission) -> String {
    let when = WhenText(timeZone: .current, now: .now).words(of: mission.startsAt)
    return "\(mission.title) takes place next \(when)."
  }
}
