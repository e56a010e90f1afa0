import Foundation
import RallyTestSupport
import TerminalKit
import Testing

extension EndToEnd {
  /// Widths as the tmux of this machine has them.
  @Suite(.enabled(if: Tmux.isInstalled, "tmux is not installed")) struct TmuxWidthsTests {
    static let clusters = [
      "a", "é", "e\u{301}", "漢", "ｱ", "Ａ", "한", "ж", "Ω", "€", "…", "●", "⣿", "│", "☺", "✓",
      "🎉", "👍🏽", "👨‍👩‍👧", "🇵🇹", "⚠\u{FE0F}", "⚠", "❤\u{FE0F}", "1\u{FE0F}\u{20E3}", "🏴‍☠️", "👩🏽‍🚀",
      "क्षि", "ก็", "שָׁ", "ﷺ", "𝔘", "𠀀", "〇", "「", "\u{1F1F5}", "🫠", "⭐", "⌚", "☔",
    ]

    @Test func `what is drawn for a cluster moves the cursor as far as the table says`()
      async throws
    {
      let folder = try TemporaryFolder()
      let sent = Self.clusters.map { CellWidth.pieces(of: Character($0)).map(\.text).joined() }
      try (sent.joined(separator: "\n") + "\n").write(
        toFile: folder.file("clusters"), atomically: true, encoding: .utf8)
      try """
      stty raw -echo
      while IFS= read -r cluster <&3; do
        printf '\\r\\033[2K%s\\033[6n' "$cluster"
        IFS= read -rs -d R reply
        printf '%s\\n' "${reply##*;}" >> places
      done
      touch done
      sleep 600
      """.write(toFile: folder.file("ask.sh"), atomically: true, encoding: .utf8)
      let tmux = try await Tmux([
        "bash", "-c", "cd '\(folder.path)' && exec bash ask.sh 3< clusters",
      ])
      try await eventually("all answers") {
        FileManager.default.fileExists(atPath: folder.file("done"))
      }
      await tmux.end()
      let places = try String(contentsOfFile: folder.file("places"), encoding: .utf8)
        .split(separator: "\n").compactMap { Int($0) }
      #expect(places.count == Self.clusters.count)
      for (cluster, place) in zip(Self.clusters, places) {
        #expect(place - 1 == CellWidth.width(of: Character(cluster)), "\(cluster)")
      }
    }

    /// This tmux gives Cyrillic letters one cell; told that they take two, Rally and it disagree about
    /// every one of them.
    @Test(arguments: ["narrow", "wide"])
    func `where the terminal disagrees about a name the frame around it stays whole`(
      width: String
    ) async throws {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let names = ["👨‍👩‍👧 Жанна 🫠", "Ωmega ё漢字", "🇵🇹 क्षि e\u{301}", "plain"]
      for (index, name) in names.enumerated() {
        let other = try await served.home("friend\(index)", displayName: name)
        try await served.befriend(home, other, named: ("ana", "friend\(index)"))
      }
      try FileManager.default.createDirectory(
        atPath: home.folder.file("config/rally"), withIntermediateDirectories: true)
      try "[interface]\nambiguous_width = \"\(width)\"\n".write(
        toFile: home.folder.file("config/rally/config.toml"), atomically: true, encoding: .utf8)
      var environment = home.environment
      environment["TERM"] = "tmux-256color"
      try await home.remember()
      let tmux = try await Tmux(
        [try RallyBinary.required()] + home.flags, environment: environment)

      func check(_ screen: [String]) {
        let columns = screen[3..<20].map { row in
          Self.cells(of: row).firstIndex { $0 == "│" || $0 == "|" }
        }
        #expect(Set(columns).count == 1, "\(columns)\n\(screen.joined(separator: "\n"))")
        #expect(columns.first != .some(nil))
        #expect(screen.allSatisfy { Self.cells(of: $0).count <= 80 })
      }
      let all = try await tmux.waitUntil("four friends") { screen in
        names.indices.allSatisfy { screen.joined().contains("friend\($0)") }
          && screen.joined().contains("live")
      }
      check(all)
      // Selections come and go over each of them, and the whole is sent again.
      for keys in [["j", "j"], ["j", "k", "G"], ["C-l"], ["g", "g"]] {
        for key in keys { try await tmux.send(key) }
        var former: [String] = []
        let screen = try await tmux.waitUntil("a selection, and a screen at rest") { screen in
          defer { former = screen }
          return screen == former && screen.contains { $0.contains("▸") || $0.contains("> ") }
        }
        check(screen)
      }
      try await tmux.send("q")
      await tmux.end()
    }

    /// The cells of a row as this terminal has them, wide ones twice.
    private static func cells(of row: String) -> [Character] {
      row.flatMap { character in
        Array(repeating: character, count: max(1, CellWidth.width(of: character)))
      }
    }
  }
}
