import Foundation
import Glibc
import Logging
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

/// Programs of `[hooks]`: slow, failing, flooding ones, and what they get.
@Suite struct HookRunnerTests {
  private func event(_ text: String = "hello", _ kind: NotificationEvent.Kind = .message)
    -> HookEvent
  {
    HookEvent(
      NotificationEvent(kind, username: "ana", title: "Fog run", text: text),
      profile: "default", at: .now)
  }

  private func settings(_ command: [String], for hook: Hook = .message) -> HookSettings {
    var settings = HookSettings()
    settings[hook] = command
    return settings
  }

  /// A command that runs a script in a folder; it finds the folder in `$0`.
  ///
  /// The shell reads the file: a file that was just written cannot be executed as long as a process
  /// that another test starts has it open (`ETXTBSY`).
  private func script(_ text: String, in folder: TemporaryFolder) throws -> [String] {
    let path = folder.file("hook")
    try Data("cd \"${0%/*}\"\n\(text)\n".utf8).write(to: URL(filePath: path))
    return ["/bin/sh", path]
  }

  private func lines(_ path: String) -> [String] {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  private func makeRunner(
    limit: Duration = .seconds(300), grace: Duration = .seconds(2), log: LogFile = LogFile()
  ) -> HookRunner {
    HookRunner(
      environment: variables, limit: limit, grace: grace,
      log: Logger(label: "Hooks") { LogFileHandler(label: $0, file: log) })
  }

  /// A log of the test's own.
  private func makeLog(in folder: TemporaryFolder) throws -> LogFile {
    let log = LogFile()
    try log.open(path: folder.file("log"))
    return log
  }

  private let variables = ["PATH": "/usr/bin:/bin", "RALLY_KEY": "secret", "HOME": "/nowhere"]

  @Test func `the event is a line of JSON on the input, and nowhere else`() async throws {
    let folder = try TemporaryFolder()
    let hook = try script(
      "cat > input; printf '%s\\n' \"$#\" \"$@\" > arguments; env > environment; "
        + "ls /proc/self/fd > descriptors; ps -o sid= -p $$ > sid; echo > done", in: folder)
    let runner = HookRunner(environment: variables)
    let hostile = "#(x) $(touch owned) `y`\n" + HostileText.text(accents: 8)
    runner.run(event(hostile), settings: settings(hook + ["a b", "$HOME"]))
    try await eventually("the hook") { FileManager.default.fileExists(atPath: folder.file("done")) }

    let input = try String(contentsOfFile: folder.file("input"), encoding: .utf8)
    #expect(input.hasSuffix("}\n"))
    #expect(input.count { $0 == "\n" } == 1)
    #expect(HostileText.forbidden(in: input) == [])
    let value = try WireJSON.decode(JSONValue.self, from: Data(input.utf8))
    #expect(value["event"] == "message")
    #expect(value["username"] == "ana")
    #expect(value["text"]?.string?.hasPrefix("#(x) $(touch owned)") == true)
    #expect(lines(folder.file("arguments")) == ["2", "a b", "$HOME"])
    let environment = lines(folder.file("environment"))
    #expect(!environment.contains { $0.contains("RALLY") || $0.contains("ana") })
    #expect(environment.contains("HOME=/nowhere"))
    // Standard input, output and error, and the folder that ls reads.
    #expect(lines(folder.file("descriptors")).count == 4)
    #expect(!FileManager.default.fileExists(atPath: folder.file("owned")))
  }

  @Test func `a flood runs one at a time, and drops the oldest beyond the queue`() async throws {
    let folder = try TemporaryFolder()
    let hook = try script(
      """
      mkdir busy || echo two > overlap
      cat >> input
      while [ ! -e go ]; do sleep 0.02; done
      rmdir busy
      """, in: folder)
    let log = try makeLog(in: folder)
    let runner = makeRunner(log: log)
    runner.run(event("first"), settings: settings(hook))
    try await eventually("the first") { !lines(folder.file("input")).isEmpty }
    for number in 0..<400 { runner.run(event("n\(number)"), settings: settings(hook)) }
    try Data().write(to: URL(filePath: folder.file("go")))
    try await eventually("the last") {
      lines(folder.file("input")).last?.contains("\"n399\"") == true
    }
    let texts = try lines(folder.file("input")).map {
      try WireJSON.decode(JSONValue.self, from: Data($0.utf8))["text"]?.string
    }
    #expect(texts == ["first"] + (144..<400).map { "n\($0)" })
    #expect(!FileManager.default.fileExists(atPath: folder.file("overlap")))
    try await eventually("the log") {
      log.flush()
      return lines(folder.file("log")).count { $0.contains("on_message — code: 0, after:") } == 257
    }
    #expect(
      lines(folder.file("log")).count {
        $0.contains("warning [Hooks] on_message — the queue was full, dropped: 144")
      } == 1)
  }

  @Test func `a hook that hangs is ended with what it started, and the next one runs`() async throws
  {
    let folder = try TemporaryFolder()
    let hook = try script(
      """
      cat >> input
      trap '' TERM
      [ -e pid ] && exit
      (trap '' TERM; echo $$ > group; sleep 600) &
      echo $! > child
      echo $$ > pid
      while :; do sleep 600; done
      """, in: folder)
    let log = try makeLog(in: folder)
    let runner = makeRunner(
      limit: .milliseconds(300), grace: .milliseconds(300), log: log)
    runner.run(event("one"), settings: settings(hook))
    runner.run(event("two"), settings: settings(hook))
    try await eventually("the second") { lines(folder.file("input")).count == 2 }
    let child = try #require(pid_t(lines(folder.file("child")).first ?? ""))
    try await eventually("the log") {
      log.flush()
      return lines(folder.file("log")).contains { $0.contains("on_message — signal: 9, after:") }
    }
    try await eventually("the end of the child") { kill(child, 0) != 0 || isZombie(child) }
  }

  private func isZombie(_ process: pid_t) -> Bool {
    (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8))?.contains(") Z ")
      ?? true
  }

  @Test func `failing, unread and forking hooks hold nothing up`() async throws {
    let folder = try TemporaryFolder()
    // Reads nothing, leaves a process behind that has its output open, and fails.
    let hook = try script("echo x >> runs; sleep 600 & echo $! >> stayed; exit 7", in: folder)
    let runner = makeRunner()
    let long = String(repeating: "long ", count: 400)
    for _ in 0..<3 { runner.run(event(long), settings: settings(hook)) }
    try await eventually("three runs") { lines(folder.file("runs")).count == 3 }
    try await eventually("what stays") { lines(folder.file("stayed")).count == 3 }
    for process in lines(folder.file("stayed")).compactMap(pid_t.init) { kill(process, SIGKILL) }
  }

  @Test func `a program that is not there is told once for each command`() async throws {
    let runner = HookRunner(environment: variables)
    var problems = runner.problems().makeAsyncIterator()
    for _ in 0..<3 { runner.run(event(), settings: settings(["/nowhere/\u{1B}[31mhook"])) }
    let first = try #require(await problems.next())
    #expect(
      first
        == "The hook on_message cannot be started: /nowhere/[31mhook (no such file or directory).")
    runner.run(event("", .request), settings: settings(["no-such-program"], for: .request))
    let second = try #require(await problems.next())
    #expect(second.hasPrefix("The hook on_request cannot be started: no-such-program"))
  }

  @Test func `each kind of event has its hook`() {
    let hooks = NotificationEvent.Kind.allCases.map { Hook($0).key }
    #expect(
      hooks == [
        "on_request", "on_request", "on_request", "on_arrival", "on_arrival", "on_arrival",
        "on_mission", "on_message", "on_mission",
      ])
  }
}
