import Foundation
import RallyTestSupport
import RallyWire
import Testing

extension EndToEnd {
  @Suite struct CompletionsVerbTests {
    private func script(_ shell: String, in home: Home) async throws -> String {
      let file = home.folder.file("completions.\(shell)")
      try await home.must("completions", shell).output.write(
        toFile: file, atomically: true, encoding: .utf8)
      return file
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `a shell's script names the verbs, and the shell reads it`(shell: String) async throws {
      let home = try Home()
      let file = try await script(shell, in: home)
      let text = try String(contentsOfFile: file, encoding: .utf8)
      for verb in ["friends", "completions", "doctor"] { #expect(text.contains(verb)) }
      let program = ["/bin/\(shell)", "/usr/bin/\(shell)"].first {
        FileManager.default.isExecutableFile(atPath: $0)
      }
      guard let program else { return }
      let check = try await CommandRun.of(
        program, ["-n", file], environment: home.environment, input: "")
      #expect(check.succeeded, "\(check)")
    }

    @Test func `bash completes verbs, options and their values`() async throws {
      guard FileManager.default.isExecutableFile(atPath: "/bin/bash") else { return }
      let home = try Home()
      let file = try await script("bash", in: home)
      func completions(_ words: [String]) async throws -> [String] {
        let list = words.map { "'\($0)'" }.joined(separator: " ")
        let lines = """
          source '\(file)'
          COMP_WORDS=(rally \(list)); COMP_CWORD=\(words.count)
          COMP_LINE="rally \(words.joined(separator: " "))"; COMP_POINT=${#COMP_LINE}
          _rally rally '\(words.last ?? "")' '\(words.dropLast().last ?? "rally")'
          printf '%s\\n' "${COMPREPLY[@]}"
          """
        let run = try await CommandRun.of(
          "/bin/bash", ["--norc", "-c", lines], environment: home.environment, input: "")
        return run.output.split(whereSeparator: \.isWhitespace).map(String.init).sorted()
      }
      #expect(try await completions(["compl"]) == ["completions"])
      #expect(try await completions(["config", "ch"]) == ["check"])
      #expect(try await completions(["map", "li"]) == ["list"])
      #expect(try await completions(["--color", ""]) == ["always", "auto", "never"])
      #expect(try await completions(["completions", "f"]) == ["fish"])
      // The server's verbs, which another program performs.
      #expect(try await completions(["serve", "us"]) == ["users"])
      #expect(try await completions(["serve", "users", "di"]) == ["disable"])
      #expect(try await completions(["serve", "--signup", ""]) == ["closed", "invited", "open"])
    }

    @Test func `another shell is a usage error`() async throws {
      #expect(try await Home().rally("completions", "tcsh").status == .exited(2))
    }
  }
}
