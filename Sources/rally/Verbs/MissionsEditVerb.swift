import ArgumentParser
import FoundationEssentials
import RallyCommand
import RallyDomain
import RallySystem
import RallyText
import RallyWire

struct MissionsNew: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Start a mission; you are in it, also alone.",
    discussion: """
      An objective is written TEXT, TEXT@PLACE where it has a place of its own, and with xN at the \
      end where it takes N check-ins: --objective "Blue door@38.7125,-9.1311" --objective "Cats x9".

      Times are 19:40, tomorrow 9:00, 2026-12-01 18:30, in 2h, or with a zone \
      2026-12-01T18:30:00Z; +90m counts an end from the start.

      With --repeat it is a series with one list of people: when one is over, the next follows at \
      the same time by your clocks, with the objectives open again.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var places: PlaceOptions
  @Option(help: "What it is called.") var title: String
  @Option(help: "What it is about.") var brief: String?
  @Option(parsing: .unconditional, help: "Where it is; where you are if left out.")
  var at: String?
  @Option(help: "How far around: 250, 500 m or 2 km.") var radius = "250 m"
  @Option(help: "When it starts; now if left out.") var starts: String?
  @Option(help: "When it ends; never by itself if left out.") var ends: String?
  @Option(
    name: .customLong("repeat"), help: "daily, weekly, fortnightly or monthly; needs --ends.")
  var repeats: MissionRepeat?
  @Option(help: "The last day it takes place, or how many times: 2026-12-22, 8 times.")
  var until: String?
  @Option(help: "How many people it takes, with you.") var capacity: Int?
  @Option(help: "Who may know of it: private, invited or friends.")
  var visibility: MissionVisibility = .invited
  @Flag(help: "Ask everybody in it to say that they are on the way when it starts.")
  var live = false
  @Option(
    parsing: .unconditionalSingleValue,
    help: "Something to do there; may be given several times.")
  var objective: [String] = []

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let typed: Place? = if let at { try await session.place(typed: at, places) } else { nil }
    let isHeldBack = at == nil ? await session.privacyLimit().mode < .precise : false
    let here = isHeldBack ? nil : await session.position()
    let call = try call(at: typed?.coordinate ?? here, now: .now)
    let mission = try await session.services.missionsService.createMission(call)
    if global.json {
      try session.output.json(JSONValue(mission: mission))
    } else {
      session.output.data(mission.id.wireText)
    }
    session.output.message(
      "\(mission.title) is there. `rally missions invite \(mission.shortID) USERNAME` asks friends."
    )
  }

  /// - Throws: `FieldProblem` or `VerbFailure` for invalid input.
  private func call(at place: Coordinate?, now: WireTime) throws -> CreateMission {
    guard let place else {
      throw VerbFailure(
        .usage, "Where you are is not known, or held back by your zones or hours.",
        advice: "Give --at PLACE, or say it with `rally location set PLACE`.")
    }
    let start = try starts.flatMap { try Self.time($0, .starts, now: now) }
    let end = try ends.flatMap { try Self.time($0, .ends, after: start, now: now) }
    if let end, end <= start ?? now {
      throw FieldProblem(field: .ends, advice: "The end lies before the start.")
    }
    if let capacity, !MissionRules.capacities.contains(capacity) {
      throw FieldProblem(field: .capacity, advice: "A mission takes from 1 to 1000 people.")
    }
    let zone = LocalTimeZone.current.identifier
    let series = repeats.map {
      MissionSeries(repeats: $0, startsAt: start ?? now, timeZone: zone)
    }
    if series == nil, until != nil {
      throw FieldProblem(field: .until, advice: "Say how it repeats: --repeat weekly.")
    }
    let last = try until.flatMap { text in
      try series.flatMap { try RepeatText.until(text, of: $0, now: now) }
    }
    var changes = MissionChanges()
    changes.title = try MissionText.title(title)
    changes.brief = try brief.map(MissionText.brief)
    changes.setCentre(place)
    changes.radiusMetres = try RadiusText.parse(radius)
    changes.startsAt = start
    changes.endsAt = FieldChange(end)
    changes.repeats = FieldChange(repeats)
    changes.repeatUntil = FieldChange(last)
    changes.timeZone = series?.timeZone
    changes.capacity = FieldChange(capacity)
    changes.visibility = visibility
    changes.isLive = live ? true : nil
    changes.objectives = try objective.map {
      try ObjectiveInput(typed: $0, finder: .world, completes: places.first)
    }
    return CreateMission(changes)
  }

  /// A time as it is typed, or with a zone as RFC 3339 has it.
  static func time(
    _ text: String, _ field: FieldProblem.Field, after start: WireTime? = nil, now: WireTime
  ) throws -> WireTime? {
    if let time = WireTime(text) { return time }
    return try WhenText(timeZone: .current, now: now).parse(text, field: field, after: start)
  }
}

extension ObjectiveInput {
  /// Parses `TEXT`, `TEXT@PLACE`, `TEXT x9` or `TEXT@PLACE x9`; the last `@` separates.
  ///
  /// - Throws: `FieldProblem` that says what to type instead.
  init(
    typed text: String, finder: PlaceFinder, completes: Bool = true
  ) throws(FieldProblem) {
    var rest = text.trimmed[...]
    var count: Int?
    let last = rest.split(separator: " ").last ?? ""
    if last.hasPrefix("x"), last.count < rest.count, let number = Int(last.dropFirst()) {
      guard MissionRules.counts.contains(number) else {
        throw FieldProblem(
          field: .objectives, advice: "An objective asks for x1 to x10000 check-ins.")
      }
      count = number
      rest = rest.dropLast(last.count)
    }
    var place: Coordinate?
    if let mark = rest.lastIndex(of: "@") {
      place = try finder.resolve(
        String(rest[rest.index(after: mark)...]), completes: completes
      ).coordinate
      rest = rest[..<mark]
    }
    self.init(title: try MissionText.objective(String(rest)), place: place, count: count)
  }
}

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
    let session = try await CommandSession.signedIn(global)
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
