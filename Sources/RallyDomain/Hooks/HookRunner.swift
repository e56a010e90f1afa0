import FoundationEssentials
import Glibc
import Logging
import RallySystem
import RallyText
import RallyWire
import Synchronization

/// What a hook is run for; a key of `[hooks]` each.
public enum Hook: String, Hashable, Sendable, CaseIterable, Encodable {
  case request, arrival, message, mission, policy

  /// `on_request`.
  public var key: String { "on_\(rawValue)" }

  /// The hook that runs for an event.
  public init(_ kind: NotificationEvent.Kind) {
    switch kind {
    case .request, .friendship, .question: self = .request
    case .sharing, .alert, .arrival: self = .arrival
    case .message: self = .message
    case .invitation, .completion: self = .mission
    }
  }
}

/// `[hooks]` of `config.toml`.
public struct HookSettings: Hashable, Sendable {
  private var commands: [Hook: [String]] = [:]

  public init() {}

  /// A program and its arguments; nil for none.
  public subscript(hook: Hook) -> [String]? {
    get { commands[hook] }
    set { commands[hook] = newValue }
  }
}

/// What a hook reads on its standard input, as one line of JSON.
public struct HookEvent: Hashable, Sendable, Encodable {
  public let hook: Hook
  /// More exactly than the hook: `request`, `friendship`, `question`, `sharing`, `alert`, `arrival`,
  /// `message`, `invitation`, `completion` or `policy`.
  public let kind: String
  /// The local name of the account.
  public let profile: String
  public let at: WireTime
  /// Who did it.
  public var username: String?
  public var missionID: String?
  public var missionTitle: String?
  /// The message, what somebody shows, what an alert says, or the policy in words.
  public var text: String?

  private enum CodingKeys: String, CodingKey {
    case hook = "event"
    case kind, profile, at, username, text
    case missionID = "mission_id"
    case missionTitle = "mission_title"
  }

  public init(_ event: NotificationEvent, profile: String, at now: WireTime) {
    hook = Hook(event.kind)
    kind = "\(event.kind)"
    self.profile = profile
    at = now
    username = event.username
    missionID = event.missionID?.wireText
    missionTitle = event.title.isEmpty ? nil : event.title
    text = event.text.isEmpty ? nil : event.text
  }

  public init(policy sentence: PolicySentence, profile: String, at now: WireTime) {
    hook = .policy
    kind = sentence.word.lowercased()
    self.profile = profile
    at = now
    text = sentence.words
  }
}

/// Runs the programs of `[hooks]`, one at a time for each hook, on threads that exist only while
/// one runs.
///
/// The event is the program's standard input, in a pipe that holds all of it, so that a program that
/// does not read it holds nothing up. It gets nothing else: no text of others among its arguments or in its
/// environment, no open file, no terminal.
public final class HookRunner: Sendable {
  /// Events that wait for one hook; the oldest is dropped beyond that.
  static let queueLimit = 256

  private struct Job {
    var command: [String]
    var input: Data
  }

  private struct Queue {
    var jobs: [Job] = []
    var dropped = 0
    var isRunning = false
  }

  private let queues = Mutex<[Hook: Queue]>([:])
  /// Commands that could not be started, which was reported.
  private let reported = Mutex<Set<[String]>>([])
  private let limit: Duration
  private let grace: Duration
  private let environment: [String]
  private let log: Logger
  private let news = EventSource<String>()

  /// - Parameter environment: Of this process; Rally's own variables, which may be secrets, are left
  ///   out.
  public convenience init(environment: [String: String]) {
    self.init(
      environment: environment, limit: .seconds(10), grace: .seconds(2),
      log: RallyLog.logger("Hooks"))
  }

  /// - Parameters:
  ///   - limit: How long a program may run before SIGTERM ends it with all that it started.
  ///   - grace: How much later SIGKILL does.
  init(environment: [String: String], limit: Duration, grace: Duration, log: Logger) {
    self.environment = environment.filter { !$0.key.hasPrefix("RALLY_") }
      .map { "\($0.key)=\($0.value)" }
    self.limit = limit
    self.grace = grace
    self.log = log
  }

  /// Hooks that cannot be started, a sentence for each command.
  public func problems() -> AsyncStream<String> { news.stream() }

  /// Runs the hook of the event, after those that wait.
  public func run(_ event: HookEvent, settings: HookSettings) {
    guard let command = settings[event.hook], let line = try? WireJSON.escapedText(event) else {
      return
    }
    let hook = event.hook
    let isFirst = queues.withLock { queues in
      var queue = queues[hook, default: Queue()]
      defer { queues[hook] = queue }
      if queue.jobs.count == Self.queueLimit {
        queue.jobs.removeFirst()
        queue.dropped += 1
      }
      queue.jobs.append(Job(command: command, input: Data((line + "\n").utf8)))
      defer { queue.isRunning = true }
      return !queue.isRunning
    }
    guard isFirst else { return }
    BackgroundThread.start("rally.hook") { [self] in
      while let job = next(hook) { perform(job, of: hook) }
    }
  }

  private func next(_ hook: Hook) -> Job? {
    let (job, dropped) = queues.withLock { queues -> (Job?, Int) in
      guard var queue = queues[hook], !queue.jobs.isEmpty else {
        queues[hook]?.isRunning = false
        return (nil, 0)
      }
      defer { queues[hook] = queue }
      defer { queue.dropped = 0 }
      return (queue.jobs.removeFirst(), queue.dropped)
    }
    if dropped > 0 { log.warning("\(hook.key) — the queue was full, dropped: \(dropped)") }
    return job
  }

  private func perform(_ job: Job, of hook: Hook) {
    let start = ContinuousClock.now
    let process: HookProcess
    do {
      process = try HookProcess(job.command, input: job.input, environment: environment)
    } catch {
      let reason = error.systemReason
      log.error("\(hook.key) — not started: \(reason)")
      guard reported.withLock({ $0.insert(job.command).inserted }) else { return }
      let name = (job.command.first ?? "").cleanedForDisplay
      news.send("The hook \(hook.key) cannot be started: \(name) (\(reason)).")
      return
    }
    let watchdog = Task { [limit, grace] in
      try await DispatchSleep.for(limit)
      process.signal(SIGTERM)
      try await DispatchSleep.for(grace)
      process.signal(SIGKILL)
    }
    let end = process.waitForEnd()
    watchdog.cancel()
    log.info("\(hook.key) — \(end), after: \(start.duration(to: .now).inMilliseconds) ms")
  }
}

/// A running hook, in a session and group of its own.
private final class HookProcess: Sendable {
  private let pid: pid_t
  private let hasEnded = Mutex(false)

  /// - Throws: `POSIXError` if there is no such program, or it cannot be started.
  init(_ command: [String], input: Data, environment: [String]) throws {
    let path = try Self.path(of: command.first ?? "", in: environment)
    let line = try Self.pipe(holding: input)
    defer { close(line) }
    let program = Self.withPersonsMask(path, Array(command.dropFirst()))
    pid = try ChildProgram.spawn(
      program.executable, program.arguments, hasOwnSession: true, environment: environment,
      folder: HomeFolder.workingDirectory
    ) { actions in
      posix_spawn_file_actions_adddup2(&actions, line, 0)
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, 1, 2)
    }
  }

  /// Signals the program and what it started, as long as it runs.
  func signal(_ number: Int32) {
    hasEnded.withLock { if !$0 { kill(-pid, number) } }
  }

  /// Waits for its end; what it started may go on.
  ///
  /// - Returns: `code: 0`, or `signal: 15`.
  func waitForEnd() -> String {
    var information = siginfo_t()
    // It stays a zombie until nobody can signal its number any more.
    while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    var status: Int32 = 0
    hasEnded.withLock { hasEnded in
      hasEnded = true
      while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }
    let signal = status & 0x7F
    return signal == 0 ? "code: \((status >> 8) & 0xFF)" : "signal: \(signal)"
  }

  /// The end to read of a pipe with all of the input in it, and nobody who writes.
  private static func pipe(holding input: Data) throws -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw POSIXError.last }
    defer { close(ends[1]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    // A pipe holds 64 KiB, or 4 KiB where its owner has very many.
    guard input.withUnsafeBytes({ write(ends[1], $0.baseAddress, $0.count) }) == input.count else {
      close(ends[0])
      throw POSIXError(.EMSGSIZE)
    }
    return ends[0]
  }

  /// Below a shell that puts the person's umask back, where this process has another one.
  private static func withPersonsMask(
    _ path: String, _ arguments: [String]
  ) -> (executable: String, arguments: [String]) {
    let preparation = ChildProgram.shellPreparation
    guard !preparation.isEmpty else { return (path, [path] + arguments) }
    return ("/bin/sh", ["sh", "-c", preparation + "exec \"$@\"", "sh", path] + arguments)
  }

  /// As a shell finds it: `~` is the home folder, where it runs; a name alone is looked for in
  /// `PATH`.
  private static func path(of program: String, in environment: [String]) throws -> String {
    if program.contains("/") {
      let expanded = HomeFolder.expanding(program)
      let path = expanded.hasPrefix("/") ? expanded : "\(HomeFolder.workingDirectory)/\(expanded)"
      guard access(path, X_OK) == 0 else { throw POSIXError.last }
      return path
    }
    let folders = environment.first { $0.hasPrefix("PATH=") }?.dropFirst(5) ?? "/usr/bin:/bin"
    for folder in folders.split(separator: ":") {
      let path = "\(folder)/\(program)"
      if access(path, X_OK) == 0 { return path }
    }
    throw POSIXError(.ENOENT)
  }
}
