import Foundation
import RallyTestSupport
import Testing

extension EndToEnd {
  /// The terminal goes to an editor and comes back, whatever becomes of the editor.
  @Suite struct EditorTests {
    /// An editor of a few lines of shell, which leaves a trace of what it met.
    private func editor(_ home: Home, _ lines: String) throws -> String {
      let path = home.folder.file("editor.sh")
      try """
      #!/bin/sh
      printf '%s %s' "$(stat -c %a "$1")" "$(stat -c %a "$(dirname "$1")")" \
      > '\(home.folder.file("modes"))'
      printf '%s' "$1" > '\(home.folder.file("path"))'
      stty -a | grep -c ' icanon' > '\(home.folder.file("canonical"))'
      \(lines)
      """.write(toFile: path, atomically: true, encoding: .utf8)
      chmod(path, 0o700)
      return path
    }

    private func read(_ home: Home, _ name: String) throws -> String {
      try String(contentsOfFile: home.folder.file(name), encoding: .utf8)
        .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func composer(
      _ lines: String, adding: [String: String] = [:]
    ) async throws -> (Home, PtySession) {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let session = try await home.open(
        adding: ["VISUAL": editor(home, lines)].merging(adding) { $1 })
      try await session.waitUntilLive()
      session.send("2")
      try await session.waitFor("Nearby")
      session.send("c")
      try await session.waitFor("New mission")
      return (home, session)
    }

    private func isGone(_ home: Home) throws -> Bool {
      let file = try read(home, "path")
      return !FileManager.default.fileExists(atPath: (file as NSString).deletingLastPathComponent)
    }

    @Test func `what was written comes back into the form, and nothing stays behind`()
      async throws
    {
      let (home, session) = try await composer(
        "printf 'Editor here. '; read answer; printf 'Four lights\\nto %s.\\n' \"$answer\" > \"$1\""
      )
      // The terminal has kitty's keys.
      session.send("\u{1B}[?0u")
      try await session.waitUntil("the keys") { $0.keyFlags[true] == [5] }
      session.send(.control("g"))
      try await session.waitFor("Editor here.")
      #expect(!session.screen.isAlternate)
      #expect(session.leftBehind == [])
      // What is typed is the editor's, also what ends a program.
      session.send("find\r")
      try await session.waitUntil("the form with the text") {
        $0.isAlternate && $0.contains("Four lights to find.") && $0.contains("New mission")
      }
      #expect(try read(home, "modes") == "600 700")
      #expect(try read(home, "canonical") == "1")
      #expect(try isGone(home))
      // The keys work as before.
      session.send("Title")
      try await session.waitFor("Title     Title")
      session.send(.escape)
      try await session.waitFor("kept until you send")
      session.send("q")
      #expect(try await session.waitForExit() == .exited(0))
      #expect(session.leftBehind == [])
    }

    @Test(
      arguments: [
        ("exit 3", "ended with status 3"), ("kill -9 $$", "was ended by signal 9"),
        ("rm \"$1\"", "removed the file"),
        ("stty raw -echo; printf '\\033[?1000h'; kill -SEGV $$", "was ended by signal 11"),
      ])
    func `an editor that fails leaves the text and the terminal as they were`(
      _ lines: String, what: String
    ) async throws {
      let (home, session) = try await composer(lines)
      session.send("A title")
      session.send(.control("g"))
      try await session.waitUntil("the reason") { $0.isAlternate && $0.contains(what) }
      try await session.waitFor("Title     A title")
      #expect(try isGone(home))
      session.send(.escape)
      try await session.waitFor("kept until you send")
      session.send("q")
      #expect(try await session.waitForExit() == .exited(0))
      #expect(session.leftBehind == [])
    }

    @Test(
      arguments: [
        ("printf 'Four lights' > \"$1\"; exit 3", "ended with status 3"),
        ("printf 'Four lights' > \"$1\"; kill -SEGV $$", "was ended by signal 11"),
        ("printf 'Four lights\\377' > \"$1\"", "no text"),
        ("head -c 70000 /dev/zero | tr '\\0' x > \"$1\"", "more than 64 kB"),
      ])
    func `what an editor saved and the form did not get stays in its file`(
      _ lines: String, what: String
    ) async throws {
      let (home, session) = try await composer(lines)
      session.send(.control("g"))
      try await session.waitUntil("the reason") { $0.isAlternate && $0.contains(what) }
      #expect(try !isGone(home))
      guard lines.contains("lights'") else { return }
      session.send(.control("g"))
      try await session.waitFor("Four lights", "here now")
      try await eventually("the file is gone") { try isGone(home) }
    }

    @Test func `an editor whose window stays open is told to wait, and what it saves is taken`()
      async throws
    {
      let (home, session) = try await composer(
        "(until [ -e \"$0.save\" ]; do sleep 0.05; done; echo 'From the window' > \"$1\"; "
          + "touch \"$0.saved\") > /dev/null 2>&1 &")
      session.send(.control("g"))
      try await session.waitFor("ended at once", "code --wait")
      try Data().write(to: URL(filePath: home.folder.file("editor.sh.save")))
      try await eventually("the window has saved") {
        FileManager.default.fileExists(atPath: home.folder.file("editor.sh.saved"))
      }
      session.send(.control("g"))
      try await session.waitFor("From the window", "here now")
      try await eventually("the file is gone") { try isGone(home) }
    }

    @Test func `after a kill the text is offered to the form again`() async throws {
      let (home, session) = try await composer(
        "echo 'Before the end' > \"$1\"; printf 'Saved. '; read a")
      session.send(.control("g"))
      try await session.waitFor("Saved.")
      session.signal(SIGKILL)
      try await session.waitForExit()
      session.end()
      let again = try await home.open()
      try await again.waitUntilLive()
      again.send("2c")
      try await again.waitFor("New mission", "your editor is kept")
      again.send(.control("g"))
      try await again.waitFor("Before the end")
      try await eventually("the file is gone") { try isGone(home) }
    }

    @Test func `the editor has the terminal and nothing else, and the person's umask`() async throws
    {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let path = try editor(
        home,
        "for file in /proc/$$/fd/*; do readlink \"$file\"; done > \"$0.open\"; umask > \"$0.mask\"; "
          + "echo 'Four lights' > \"$1\"")
      let line = ([try RallyBinary.required()] + home.flags).map { "'\($0)'" }.joined(
        separator: " ")
      let session = try await PtySession(
        "/bin/sh", ["-c", "umask 027; exec \(line)"],
        environment: home.environment.merging(["VISUAL": path]) { $1 }, keeping: home)
      try await session.waitUntilLive()
      session.send("2c")
      try await session.waitFor("New mission")
      session.send(.control("g"))
      try await session.waitFor("Four lights")
      #expect(try read(home, "editor.sh.mask") == "0027")
      let open = try read(home, "editor.sh.open").split(separator: "\n")
      // The shell reads its script; what it redirects, it has open meanwhile.
      #expect(
        open.allSatisfy { $0.hasPrefix("/dev/pts/") || $0.contains("/editor.sh") }, "\(open)")
    }

    @Test func `control C is the editor's, and control Z stops both until fg`() async throws {
      let (_, session) = try await composer(
        "trap 'printf caught > /dev/tty' INT; printf 'Ready. '; read a; read a; "
          + "printf 'after the stop' > \"$1\"")
      session.send(.control("g"))
      try await session.waitFor("Ready.")
      session.send(.control("c"))
      try await session.waitFor("caught")
      session.send(.control("z"))
      try await session.waitForStop()
      #expect(session.leftBehind == [])
      session.continueInForeground()
      session.send("x\ry\r")
      try await session.waitUntil("the form again") {
        $0.isAlternate && $0.contains("after the stop")
      }
      session.send(.escape)
      try await session.waitFor("kept until you send")
      session.send("q")
      #expect(try await session.waitForExit() == .exited(0))
      #expect(session.leftBehind == [])
    }

    @Test func `a signal to end is obeyed while the editor has the terminal`() async throws {
      let (_, session) = try await composer("printf 'Ready. '; read a")
      session.send(.control("g"))
      try await session.waitFor("Ready.")
      session.signal(SIGTERM)
      #expect(try await session.waitForExit() == .signalled(SIGTERM))
      #expect(session.leftBehind == [])
    }
  }
}
