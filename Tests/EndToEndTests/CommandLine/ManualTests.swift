import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  /// The pages below `docs` are made from the program's own tables.
  @Suite struct ManualTests {
    private static let docs = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs")

    @Test(arguments: [
      ("rally.1", "man/rally.1"), ("rally-config.5", "man/rally-config.5"),
      ("rally-keys.7", "man/rally-keys.7"), ("keys.md", "keys.md"),
    ])
    func `a page is in step with the program`(page: String, path: String) async throws {
      let made = try await Home().must("manual", page).output
      let kept = try? String(contentsOf: Self.docs.appending(path: path), encoding: .utf8)
      // Not compared by the macro, whose difference of two whole pages nobody reads.
      let isInStep = made == kept
      #expect(isInStep, "docs/\(path) is not what the program says now: run `make docs`")
    }

    @Test func `all pages are written where they are asked for`() async throws {
      let home = try Home()
      try await home.must("manual", "--into", home.folder.file("docs"))
      let pages = home.folder.contents.filter { $0.hasPrefix("docs/") }
      #expect(pages.contains("docs/keys.md"))
      #expect(pages.contains("docs/man/rally.1"))
    }

    @Test func `rally(1) names every verb and option`() async throws {
      let home = try Home()
      let page = try await home.must("manual", "rally.1").output
      let dump = try await home.must("--experimental-dump-help").json()
      var names: [String] = []
      func collect(_ command: JSONValue, _ path: String) {
        if command["shouldDisplay"] == false || command["commandName"] == "help" { return }
        let path = "\(path) \(command["commandName"]?.string ?? "")".trimmingPrefix(" ")
        names.append(".SS \"\(path)")
        for argument in command["arguments"]?.array ?? [] where argument["shouldDisplay"] != false {
          for name in argument["names"]?.array ?? [] where name["kind"] == "long" {
            names.append("--\(name["name"]?.string ?? "")")
          }
        }
        for command in command["subcommands"]?.array ?? [] { collect(command, String(path)) }
      }
      for command in dump["command"]?["subcommands"]?.array ?? [] { collect(command, "rally") }
      #expect(names.count > 40)
      let shown = page.replacing("\\-", with: "-")
      for name in names { #expect(shown.contains(name), "\(name)") }
    }

    @Test(arguments: ["rally.1", "rally-config.5", "rally-keys.7"])
    func `man has no complaint about a page`(page: String) async throws {
      guard FileManager.default.isExecutableFile(atPath: "/usr/bin/groff") else { return }
      let home = try Home()
      let file = home.folder.file(page)
      try await home.must("manual", page).output.write(
        toFile: file, atomically: true, encoding: .utf8)
      let run = try await CommandRun.of(
        "/usr/bin/groff", ["-K", "utf8", "-man", "-Tutf8", "-ww", "-z", file],
        environment: home.environment, input: "")
      #expect(run.errors == "")
      #expect(run.status == .exited(0))
    }
  }
}
