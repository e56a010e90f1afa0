import Foundation
import RallyTestSupport
import Testing

extension EndToEnd {
  @Suite struct EmojiTests {
    @Test func `emoji become words and pictures again while Rally runs, and the frame stays`()
      async throws
    {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let bob = try await served.home("bob", displayName: "🎉 Bob")
      try await served.befriend(home, bob, named: ("ana", "bob"))
      try configure("picture", in: home)
      let session = try await home.open()
      try await session.waitUntilLive()
      try await session.waitFor("🎉 Bob")

      try configure("text", in: home)
      let words = try await session.waitFor(
        ":party popper: Bob", "The configuration was read again.")
      #expect(!words.contains("🎉"))
      #expect(Set(Self.rules(words)).count == 1)

      try configure("picture", in: home)
      let pictures = try await session.waitUntil("the picture again") {
        $0.contains("🎉 Bob") && !$0.contains(":party")
      }
      #expect(Set(Self.rules(pictures)).count == 1)
    }

    /// Where the rule between the panes stands, row by row.
    private static func rules(_ screen: ScreenEmulator) -> [Int?] {
      (3..<18).map { row in screen.cells(row: row).firstIndex { $0.text == "│" } }
    }

    private func configure(_ emoji: String, in home: Home) throws {
      let folder = home.folder.file("config/rally")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try "[interface]\nemoji = \"\(emoji)\"\n".write(
        toFile: "\(folder)/config.toml", atomically: true, encoding: .utf8)
    }
  }
}
