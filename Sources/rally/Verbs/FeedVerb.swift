import ArgumentParser
import FoundationEssentials
import RallyClient
import RallyCommand
import RallyDomain
import RallySystem
import RallyText
import RallyWire
import RallyWords

struct FeedVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feed", abstract: "Print what happens in your missions, the newest last.",
    discussion: """
      With --follow it goes on as things happen, until ^C or until nobody reads it any more.

      With --json a line is an object with id, mission_id, mission_title, kind (created, joined, \
      left, checked_in, completed, cancelled, said), user_id, username, display_name, \
      objective_id, objective_title, text and created_at: a list of them, and with --follow one \
      object a line.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "Only this mission.") var mission: String?
  @Flag(help: "Go on as things happen.") var follow = false
  @Option(help: "How many lines to begin with, 0 to 1000.") var limit = 20

  func run() async throws {
    guard (0...1000).contains(limit) else {
      throw VerbFailure(.usage, "The limit is from 0 to 1000.", advice: "Type --limit 20.")
    }
    let session = try await CommandSession(global)
    let me = try await session.requireSession().user.id
    let found: Mission? =
      if let mission { try await session.mission(named: mission) } else { nil }
    let pages = await ActivityPages(
      missionsService: session.services.missionsService, missionID: found?.id)
    let lines = try await pages.newest(limit)
    let printer = ActivityPrinter(
      output: session.output, isJSON: global.json, isAlone: found != nil, me: me)
    guard follow else {
      if global.json {
        return try session.output.json(lines.map { try JSONValue(activity: $0) })
      }
      for line in lines { try printer.print(line) }
      if lines.isEmpty { session.output.message("Nothing has happened yet.") }
      return
    }
    for line in lines { try printer.print(line) }
    // With `--limit 0` nothing is printed, but earlier lines must still not count as new.
    let last: WireTime? =
      if let shown = lines.last?.createdAt { shown } else {
        try await pages.newest(1).last?.createdAt
      }
    try await go(on: session, pages: pages, printer: printer, after: last)
  }

  /// Prints new lines until the program is stopped.
  private func go(
    on session: CommandSession, pages: ActivityPages, printer: ActivityPrinter,
    after last: WireTime?
  ) async throws {
    let services = session.services
    let (ends, ended) = AsyncStream.makeStream(of: Void.self)
    let signals = EndSignals { ended.finish() }
    defer { signals.cancel() }
    ReaderWatch.start { ended.finish() }
    await services.client.realtime?.start()
    let events = try await services.missionActivityRealtimeService.listen()
    do {
      try await withThrowingTaskGroup { group in
        group.addTask { for await _ in ends {} }
        group.addTask {
          try await Self.follow(events, pages: pages, printer: printer, after: last)
        }
        try await group.next()
        group.cancelAll()
      }
    } catch is CancellationError {
      // The program was stopped during a fetch.
    }
    await services.missionActivityRealtimeService.leave()
    await services.client.realtime?.stop()
  }

  private static func follow(
    _ events: AsyncStream<RealtimeUpdate<MissionChange>>, pages: ActivityPages,
    printer: ActivityPrinter, after last: WireTime?
  ) async throws {
    var last = last
    for await _ in hints(events, of: pages.missionID, printer) {
      do {
        for line in try await pages.all(after: last) {
          try printer.print(line)
          last = line.createdAt
        }
      } catch let error as NetworkError where error.isTransient {
        // The next `live` event leads to a fetch of what was missed.
        printer.output.message(error.commandLineSentence)
      }
    }
  }

  /// Hints that there may be new lines; several pending hints are one.
  private static func hints(
    _ events: AsyncStream<RealtimeUpdate<MissionChange>>, of missionID: UUID?,
    _ printer: ActivityPrinter
  ) -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        for await event in events {
          switch event {
          case .live: continuation.yield()
          case .changed(.activity(let line))
          where missionID == nil || line.missionID == missionID:
            continuation.yield()
          case .changed: break
          case .interrupted: printer.output.message("The connection broke; it is tried again.")
          }
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}

/// Fetches lines of activity, the newest last.
struct ActivityPages: Sendable {
  let missionsService: MissionsService
  /// nil for all missions that I am in.
  let missionID: UUID?

  func newest(_ count: Int) async throws -> [MissionActivityRecord] {
    guard count > 0 else { return [] }
    let limit = min(count, Paging.maximumLimit)
    return try await collect(limit) { lines in lines.count >= count }.suffix(count)
  }

  /// All lines after a time; all lines without one.
  func all(after last: WireTime?) async throws -> [MissionActivityRecord] {
    let lines = try await collect(Paging.defaultLimit) { lines in
      last.map { last in lines.last.map { $0.createdAt <= last } ?? true } ?? false
    }
    return lines.filter { line in last.map { line.createdAt > $0 } ?? true }
  }

  /// - Parameters:
  ///   - limit: Lines per page.
  ///   - isEnough: Called after each page with all lines so far, newest first.
  private func collect(
    _ limit: Int, until isEnough: ([MissionActivityRecord]) -> Bool
  ) async throws -> [MissionActivityRecord] {
    var lines: [MissionActivityRecord] = []
    while true {
      let page = try await missionsService.fetchMissionActivity(
        missionID: missionID, before: lines.last?.createdAt, limit: limit)
      lines += page
      if page.count < limit || isEnough(lines) { return lines.reversed() }
    }
  }
}

/// Prints a line of activity.
struct ActivityPrinter: Sendable {
  let output: Output
  let isJSON: Bool
  /// Whether all lines are of one mission, so that its title is left out.
  let isAlone: Bool
  let me: UUID

  func print(_ line: MissionActivityRecord) throws {
    if isJSON { return try output.json(JSONValue(activity: line)) }
    let (who, what) = MissionFormatter.activity(line, me: me)
    let title = isAlone ? "" : "  \(line.missionTitle.cleanedForDisplay):"
    output.data("\(line.createdAt.zulu.prefix(19))Z\(title) \(who)\(what)")
  }
}
