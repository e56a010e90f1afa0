import ArgumentParser
import FoundationEssentials
import Glibc
import RallyClient
import RallyCommand
import RallyDomain
import RallySystem
import RallyWire
import RallyWords

struct StatusVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Print a line for a status bar: what waits, who is near.",
    discussion: """
      It says what the open interface knows; without one, what the last one knew, and of when that \
      is. Nothing is asked of a server. With --follow it prints a line at each change, until ^C or \
      until nobody reads it any more.

      The format is tmux, waybar or i3bar, a template, or both (tmux:{requests}). In a template \
      {name} is a field and {name?text} is its text where the field is neither empty nor 0; {{ and \
      }} are braces. The fields: \
      \(StatusTemplate.fields.map { "\($0.name) (\($0.summary))" }.joined(separator: ", ")).

      With --json it is an object with username, requests, questions, invitations, friends, near, \
      near_names, live, mission (title, starts_at, ends_at, when), seen, seen_precisely, seen_level, \
      link, policy, as_of, is_current and age; with --follow one object a line.
      """)

  @OptionGroup var global: GlobalOptions
  @Option(help: "Print for tmux, waybar or i3bar, or a template.") var format: String?
  @Flag(help: "Go on with a line at each change.") var follow = false

  func validate() throws {
    if global.json, format != nil {
      throw ValidationError("--json is a format of its own; leave --format.")
    }
  }

  func run() async throws {
    try await StatusRun(global: global, format: format, follows: follow).start()
  }
}

/// `rally status`: reads what an open interface keeps, and prints it.
struct StatusRun {
  let global: GlobalOptions
  let format: String?
  let follows: Bool

  /// - Throws: `VerbFailure` for a wrong format, without an account, and before anything is kept.
  func start() async throws {
    let folders = try RallyFolders(data: global.data, profile: global.profile)
    let format = try parsedFormat()
    guard let server = try await server(folders) else { throw VerbFailure.notSignedIn }
    let file = StatusFile(folders: folders, server: server)
    if follows {
      // A bar that starts before the interface was ever opened gets an empty line; only without an
      // account there is nothing to follow.
      if case .failure(.notSignedIn) = file.result { throw VerbFailure.notSignedIn }
      return await StatusFollower(file: file, format: format) { print($0, format) }.run()
    }
    switch file.result {
    case .success(let status):
      print(format.line(of: StatusReport(status, isOpen: file.isOpen, at: .now)), format)
    case .failure(.notSignedIn): throw VerbFailure.notSignedIn
    case .failure(.nothingKept):
      throw VerbFailure(
        .failed, "Nothing is known of this account yet.",
        advice: "Open `rally` once.")
    }
  }

  private func print(_ line: String, _ format: StatusFormat) {
    switch format {
    case .plain, .tmux: Output(options: global).data(line)
    case .waybar, .i3bar, .json: Output.write(line + "\n", to: STDOUT_FILENO)
    }
  }

  private func parsedFormat() throws(VerbFailure) -> StatusFormat {
    if global.json { return .json }
    guard let format else { return .plain(nil) }
    do {
      return try StatusFormat(format)
    } catch {
      throw VerbFailure(.usage, error.sentence)
    }
  }

  /// The name of the profile's server; nil if it never signed in to one.
  private func server(_ folders: RallyFolders) async throws -> String? {
    let memory = ServerMemoryService(folders: folders)
    if let typed = global.server ?? ProcessInfo.processInfo.environment["RALLY_SERVER"] {
      return try await memory.knownFirst(ServerURL.list(typed)).first?.description
    }
    return try await memory.chosen()?.name
  }
}

extension StatusFile {
  var result: Result<ClientStatus, Problem> {
    Result { () throws(Problem) in try read() }
  }
}

/// Prints the status at each change of what it says, until it is stopped or nobody reads any more.
///
/// It waits in the kernel. What ends the wait is a change of the file, the end of the client that
/// keeps it, or the next moment at which time alone changes it.
@MainActor
final class StatusFollower {
  private let file: StatusFile
  private let format: StatusFormat
  private let print: (String) -> Void
  private let events: AsyncStream<Void>
  private let event: AsyncStream<Void>.Continuation
  private var last: String?
  private let timer = WallClockTimer()
  private var isWatchingLock = false

  init(file: StatusFile, format: StatusFormat, print: @escaping (String) -> Void) {
    self.file = file
    self.format = format
    self.print = print
    (events, event) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func run() async {
    let signals = EndSignals { [event] in event.finish() }
    defer { signals.cancel() }
    ReaderWatch.start { [event] in event.finish() }
    let changes = Task { [file, event] in
      event.yield()
      for await _ in file.changes() { event.yield() }
    }
    defer { changes.cancel() }
    for await _ in events { look() }
    timer.set(nil, now: .now) {}
  }

  private func look() {
    let (now, status) = (WireTime.now, try? file.read())
    watchLock()
    let report = status.map { StatusReport($0, isOpen: file.isOpen, at: now) }
    // The time of the file alone is no change.
    var undated = report
    undated?.asOf = WireTime(microseconds: 0)
    let line = format.line(of: undated)
    if line != last { print(format.line(of: report)) }
    last = line
    timer.set(status?.nextChange(after: now), now: now) { [event] in event.yield() }
  }

  /// Waits for the end of the client that keeps the file, which may not say so.
  private func watchLock() {
    guard !isWatchingLock, file.lock.isHeld else { return }
    isWatchingLock = true
    Task {
      await file.lock.waitUntilFree()
      isWatchingLock = false
      event.yield()
    }
  }
}
