import Foundation
import RallyTestSupport
import Testing

extension EndToEnd {
  /// `make pictures`, as the binary that it runs.
  @Suite struct PicturesTests {
    private func pictures(in home: Home, _ name: String) async throws -> [String: Data] {
      let binary = URL(fileURLWithPath: try RallyBinary.required())
        .deletingLastPathComponent().appending(path: "rally-pictures").path
      let run = try await CommandRun.of(
        binary, [home.folder.file(name)], environment: home.environment, input: "")
      guard run.succeeded else { throw ProcessFailure(run.description) }
      let files = try FileManager.default.contentsOfDirectory(atPath: home.folder.file(name))
      return try Dictionary(
        uniqueKeysWithValues: files.map {
          ($0, try Data(contentsOf: URL(fileURLWithPath: home.folder.file("\(name)/\($0)"))))
        })
    }

    @Test func `two runs draw the same bytes, small enough for a page`() async throws {
      let home = try Home()
      let first = try await pictures(in: home, "first")
      let second = try await pictures(in: home, "second")
      #expect(
        Set(first.keys) == [
          "map.svg", "near.svg", "missions.svg", "missions-wide.svg", "coming.svg", "friends.svg",
          "phone.svg", "sources.svg", "sharing.svg", "tour.svg", "colours.svg",
        ])
      for (name, data) in first {
        // Not compared by the macro, which would print both.
        let isSame = data == second[name]
        #expect(isSame, "\(name) differs")
        #expect(data.count < 400_000, "\(name)")
      }
    }

    @Test func `the checkout has every picture, as well-formed XML`() throws {
      let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/pictures")
      for name in [
        "map", "near", "missions", "missions-wide", "coming", "friends", "tour", "colours",
      ] {
        let text = try String(contentsOf: folder.appending(path: "\(name).svg"), encoding: .utf8)
        #expect(text.hasPrefix("<svg xmlns=") && text.hasSuffix("</svg>\n"))
        #expect(text.contains("<title>") && !text.contains("<script"))
      }
    }
  }
}
