import Foundation
import RallyTestSupport
import Testing

@Suite(.serialized) struct PtySessionTests {
  private let environment = [
    "PATH": "/usr/local/bin:/usr/bin:/bin", "TERM": "xterm-256color", "LANG": "C.UTF-8",
  ]

  private func shell(_ script: String) async throws -> PtySession {
    try await PtySession("sh", ["-c", script], environment: environment)
  }

  @Test func `a program meets a terminal of the given size`() async throws {
    let session = try await PtySession(
      "stty", ["size"], environment: environment, rows: 31, columns: 97)
    #expect(try await session.waitForExit() == .exited(0))
    #expect(session.screen.lines[0] == "31 97")
  }

  @Test func `the terminal is the program's controlling one`() async throws {
    let session = try await shell("echo hello >/dev/tty; tty")
    #expect(try await session.waitForExit() == .exited(0))
    #expect(session.screen.lines[0] == "hello")
    #expect(session.screen.lines[1].hasPrefix("/dev/pts/"))
  }

  @Test func `control C reaches the program from the line discipline`() async throws {
    let session = try await shell("echo ready; exec sleep 600")
    try await session.waitFor("ready")
    session.send(.control("c"))
    #expect(try await session.waitForExit() == .signalled(SIGINT))
  }

  @Test func `control Z stops the program and the foreground brings it back`() async throws {
    let session = try await PtySession("cat", environment: environment)
    session.send("one\r")
    try await session.waitUntil("one twice") { $0.lines[1] == "one" }
    session.send(.control("z"))
    #expect(try await session.waitForStop() == SIGTSTP)
    session.continueInForeground()
    session.send("two\r")
    try await session.waitUntil("two twice") { $0.lines.filter { $0.hasSuffix("two") }.count == 2 }
    session.send(.control("d"))
    #expect(try await session.waitForExit() == .exited(0))
  }

  @Test func `exit codes and signals are told apart`() async throws {
    #expect(try await shell("exit 139").waitForExit() == .exited(139))
    #expect(try await shell("kill -SEGV $$").waitForExit() == .signalled(SIGSEGV))
  }

  @Test func `changed settings are seen after the program has ended`() async throws {
    let session = try await shell("stty raw -echo")
    #expect(try await session.waitForExit() == .exited(0))
    let settings = try #require(session.settings)
    #expect(settings != session.initialSettings)
    #expect(!settings.echoes)
    let other = try await shell("s=$(stty -g); stty raw -echo; stty \"$s\"")
    #expect(try await other.waitForExit() == .exited(0))
    #expect(other.settings == other.initialSettings)
  }

  @Test func `all that was written before the end is on the screen`() async throws {
    for _ in 0..<20 {
      let session = try await shell("seq 1 2000; printf end")
      #expect(try await session.waitForExit() == .exited(0))
      #expect(session.screen.lines.last == "end")
      #expect(session.bytesWritten == 1 * 9 + 90 * 2 + 900 * 3 + 1001 * 4 + 2 * 2000 + 3)
    }
  }

  @Test func `a resized window is announced`() async throws {
    let session = try await shell(
      "trap 'stty size; exit 0' WINCH; echo ready; while :; do sleep 0.01; done")
    try await session.waitFor("ready")
    session.resize(rows: 16, columns: 60)
    #expect(try await session.waitForExit() == .exited(0))
    #expect(session.screen.contains("16 60"))
  }

  @Test func `a closed window hangs the program up`() async throws {
    let session = try await shell("echo ready; exec sleep 600")
    try await session.waitFor("ready")
    session.hangUp()
    #expect(try await session.waitForExit() == .signalled(SIGHUP))
  }

  @Test func `dropping a session ends its program`() async throws {
    var session: PtySession? = try await PtySession(
      "sleep", ["600"], environment: environment)
    let process = try #require(session?.processID)
    session = nil
    #expect(kill(process, 0) != 0)
  }

  @Test func `a program that is not there is an error`() async throws {
    await #expect(throws: ProcessFailure.self) {
      try await PtySession("/no/such/program", environment: environment)
    }
  }

  @Test func `less on the alternate screen is seen as a person sees it`() async throws {
    let session = try await PtySession(
      "sh", ["-c", "seq 1 100 | less"], environment: environment, rows: 6, columns: 20)
    try await session.waitUntil("the first page") { $0.lines[0] == "1" && $0.lines[5] == ":" }
    session.send("G")
    try await session.waitUntil("the last page") { $0.lines[4] == "100" }
    session.send("q")
    #expect(try await session.waitForExit() == .exited(0))
    #expect(session.screen.leftovers == [])
    #expect(session.settings == session.initialSettings)
  }
}
