import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  @Suite struct ConfigVerbTests {
    private func save(_ text: String, in home: Home) throws -> String {
      let folder = home.folder.file("config/rally")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let file = folder + "/config.toml"
      try text.write(toFile: file, atomically: true, encoding: .utf8)
      return file
    }

    @Test func `the sample, and the sample with every setting switched on, are in order`()
      async throws
    {
      let home = try Home()
      let sample = try await home.must("config", "sample").output
      let file = try save(sample, in: home)
      let asItIs = try await home.must("config", "check")
      #expect(asItIs.output == "")
      #expect(asItIs.errors == "\(file) is in order.\n")

      let settings = sample.replacing(/(?m)^#(?! )/, with: "")
      _ = try save(settings, in: home)
      #expect(try await home.must("config", "check").output == "")
      // Nothing but defaults: what counts is what counts without a file.
      let dump = try await home.must("config", "dump").output
      #expect(try await Home().must("config", "dump").output == dump)
      _ = try save(dump, in: home)
      #expect(try await home.must("config", "check").output == "")
      #expect(try await home.must("config", "dump").output == dump)
    }

    @Test func `every problem has its line and column, and the status tells`() async throws {
      let home = try Home()
      let file = try save(
        """
        [interface]
        colr = "never"
        [keys]
        friends.find = ["n", "r"]
        refesh = "F5"
        """, in: home)
      let run = try await home.rally("config", "check")
      #expect(run.status == .exited(1))
      #expect(
        run.output.split(separator: "\n") == [
          "\(file):2:1: Unknown key colr in [interface]. Did you mean color?",
          "\(file):4:9: r leads to friends.find and to refresh in the same place. Give one of them "
            + "another key, or \"none\".",
          "\(file):5:1: There is no action “refesh”. Did you mean refresh?",
        ])
      #expect(run.errors == "rally: There are 3 problems.\n")
      let json = try await home.rally("config", "check", "--json").json()
      #expect(json.array?.map { $0["line"] } == [2, 4, 5])
      #expect(json.array?.map { $0["column"] } == [1, 9, 1])
    }

    @Test func `a file that is no TOML is said with its place`() async throws {
      let home = try Home()
      let file = try save("[map]\nglyphs = oops\n", in: home)
      let run = try await home.rally("config", "check")
      #expect(run.status == .exited(1))
      #expect(run.output.hasPrefix("\(file):2:10: Is not TOML"))
    }

    @Test func `a named file that is missing or broken is told by every verb, and a pipe is read`()
      async throws
    {
      let home = try Home()
      let missing = home.folder.file("other.toml")
      let problem = "\(missing): Is not there. Check the path after --config."
      let friends = try await home.rally("friends", "list", "--config", missing)
      #expect(friends.errors.hasPrefix(problem + "\n"))
      // Whatever they need besides, they end as without it.
      for verb in [
        ["status"], ["status", "--json"], ["map", "add", "nowhere.pmtiles"],
        ["notify", "--test", "--way", "bell"], ["map", "list"], ["location"], ["invite", "list"],
      ] {
        let run = try await home.run(verb + ["--config", missing])
        let told = run.errors.components(separatedBy: problem).count - 1
        #expect(told == 1, "\(verb): \(run.errors)")
      }
      let doctor = try await home.rally("doctor", "--json", "--no-query", "--config", missing)
        .json()
      #expect(doctor["configuration_problems"] == [.string(problem)])
      let check = try await home.rally("config", "check", "--config", missing)
      #expect(check.status == .exited(1))
      #expect(check.output == problem + "\n")
      try "[map]\nglyphs = oops\n".write(toFile: missing, atomically: true, encoding: .utf8)
      let broken = try await home.rally("friends", "list", "--config", missing)
      #expect(broken.errors.hasPrefix("\(missing):2:10: Is not TOML"))
      let pipe = home.folder.file("pipe")
      #expect(mkfifo(pipe, 0o600) == 0)
      let writer = Task.detached {
        let descriptor = open(pipe, O_WRONLY | O_CLOEXEC)
        let text = Array("[interface]\ncolor = \"never\"\n".utf8)
        #expect(write(descriptor, text, text.count) == text.count)
        close(descriptor)
      }
      let dump = try await home.must("config", "dump", "--config", pipe).output
      await writer.value
      #expect(dump.contains("color = \"never\""))
    }

    @Test func `the path is the one in its place, or the one that is given`() async throws {
      let home = try Home()
      let place = home.folder.file("config/rally/config.toml")
      #expect(try await home.must("config", "path").output == place + "\n")
      let other = home.folder.file("other.toml")
      #expect(try await home.must("config", "path", "--config", other).output == other + "\n")
      let check = try await home.must("config", "check")
      #expect(check.errors == "There is no \(place): everything has its default.\n")
      #expect(!FileManager.default.fileExists(atPath: place))
    }

    @Test func `the configuration that is given counts for every verb`() async throws {
      let home = try Home()
      let file = home.folder.file("other.toml")
      try "[map]\nglyphs = \"ascii\"\n[keys]\nundo = \"U\"".write(
        toFile: file, atomically: true, encoding: .utf8)
      let map = try await home.must("map", "--config", file)
      #expect(map.output.allSatisfy { $0.isASCII })
      let dump = try await home.must("config", "dump", "--json", "--config", file).json()
      #expect(dump["map"]?["glyphs"] == "ascii")
      #expect(dump["keys"]?["undo"] == ["U"])
      #expect(dump["interface"]?["plain"] == false)
    }

    @Test func `a setting is kept beside the configuration, which wins and is named`() async throws
    {
      let home = try Home()
      let settings = home.folder.file("config/rally/settings.toml")
      let set = try await home.must("config", "set", "interface.theme", "dark")
      #expect(set.errors == "\(settings) keeps interface.theme = \"dark\".\n")
      #expect(try await home.must("config", "dump").output.contains("theme = \"dark\""))
      let missing = try await home.must("config", "check")
      #expect(missing.errors.hasSuffix("its default, or what settings.toml beside it keeps.\n"))

      let file = try save("[interface]\ntheme = \"light\"\n", in: home)
      let wins = "\(file):2:1: interface.theme is set here, and wins over \(settings).\n"
      let check = try await home.must("config", "check")
      #expect(check.errors == wins + "\(file) is in order.\n")
      let again = try await home.must("config", "set", "interface.theme", "terminal")
      #expect(again.errors.hasSuffix("but it does not count:\n" + wins))
      #expect(
        try String(contentsOfFile: file, encoding: .utf8) == "[interface]\ntheme = \"light\"\n")

      let unset = try await home.must("config", "unset", "interface.theme")
      #expect(unset.errors == "\(settings) keeps no interface.theme. It is \"light\" now.\n")
      try "[map]\nglyph = 1\n".write(toFile: settings, atomically: true, encoding: .utf8)
      let problem = try await home.rally("config", "check")
      #expect(problem.status == .exited(1))
      #expect(problem.output.hasPrefix("\(settings):2:1: Unknown key glyph in [map]."))
    }

    @Test func `what cannot be kept is refused, with what to write instead`() async throws {
      let home = try Home()
      for (arguments, message) in [
        (("theme", "dark"), "theme: There is no such setting. Did you mean interface.theme?"),
        (("interface.theme", "pink"), "interface.theme: Set theme to \"auto\", \"dark\","),
        (("server.key_file", "sb_secret_abc"), "server.key_file: This looks like a secret"),
      ] {
        let run = try await home.rally("config", "set", arguments.0, arguments.1)
        #expect(run.status == .exited(2))
        #expect(run.errors.hasPrefix("rally: \(message)"), "\(run.errors)")
        #expect(!run.errors.contains("abc"))
      }
      let file = home.folder.file("a.toml")
      try "".write(toFile: file, atomically: true, encoding: .utf8)
      let named = try await home.rally(
        "config", "set", "interface.theme", "dark", "--config", file)
      #expect(named.status == .exited(2))
      #expect(named.errors.hasPrefix("rally: With --config that file counts alone"))
      #expect(!FileManager.default.fileExists(atPath: home.folder.file("config/rally")))
    }

    @Test func `completions know the settings and what each takes`() async throws {
      let home = try Home()
      let values = try await home.rally(
        "---completion", "config", "set", "--", "positional@1", "4", "0", "rally", "config", "set",
        "interface.mouse", "")
      #expect(values.output.split(separator: "\n") == ["auto", "on", "off"], "\(values)")
      let script = try await home.must("completions", "bash").output
      #expect(script.contains("notifications.quiet"))
    }

    @Test func `edit begins with the sample once, and examines what was saved`() async throws {
      let home = try Home()
      let file = home.folder.file("config/rally/config.toml")
      let editor = home.folder.file("editor")
      try "#!/bin/sh\necho \"edited $1\"\necho 'map.glyphs = 3' >> \"$1\"\n".write(
        toFile: editor, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: editor)

      let first = try await home.rally("config", "edit", adding: ["EDITOR": "sh \(editor)"])
      #expect(first.status == .exited(1))
      #expect(first.output.hasPrefix("edited \(file)\n\(file):"))
      #expect(first.errors.hasPrefix("Created \(file) from the sample."))
      let sample = try await home.must("config", "sample").output
      let saved = try String(contentsOfFile: file, encoding: .utf8)
      #expect(saved == sample + "map.glyphs = 3\n")

      try "[map]\n".write(toFile: file, atomically: true, encoding: .utf8)
      let second = try await home.rally("config", "edit", adding: ["VISUAL": "true"])
      #expect(second.status == .exited(0))
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "[map]\n")
      let failed = try await home.rally("config", "edit", adding: ["VISUAL": "false"])
      #expect(failed.status == .exited(1))
    }

    @Test func `a change is taken by the running interface, a broken file is not`() async throws {
      let home = try Home()
      let session = try await home.open()
      try await session.waitFor("Have one? ^N")
      let file = try save("[keys]\nsession.other = \"F2\"\n", in: home)
      try await session.waitFor("Have one? F2", "The configuration was read again.")
      try "[keys".write(toFile: file, atomically: true, encoding: .utf8)
      try await session.waitFor("config.toml:1:", "Have one? F2")
      session.send("\u{1B}OQ")
      try await session.waitFor("New here? F2")
      session.send("\u{3}\u{3}")
      #expect(try await session.waitForExit() == .exited(0))
    }
  }
}
