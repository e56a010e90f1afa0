import Foundation
import RallyTestSupport
import TerminalKit
import Testing

extension EndToEnd {
  /// What the tmux of this machine sends for a key, read by the decoder.
  @Suite(.enabled(if: Tmux.isInstalled, "tmux is not installed")) struct TmuxKeysTests {
    static let keys: [(tmux: String, chord: String)] = [
      ("a", "a"), ("Up", "↑"), ("Down", "↓"), ("Left", "←"), ("Right", "→"), ("Home", "Home"),
      ("End", "End"), ("PPage", "PgUp"), ("NPage", "PgDn"), ("IC", "Ins"), ("DC", "Del"),
      ("F1", "F1"), ("F4", "F4"), ("F5", "F5"), ("F12", "F12"), ("S-Up", "S-↑"), ("C-Up", "C-↑"),
      ("M-Up", "M-↑"), ("C-S-Left", "S-C-←"), ("C-F5", "C-F5"), ("BTab", "S-Tab"), ("Tab", "Tab"),
      ("Enter", "↵"), ("BSpace", "BS"), ("M-x", "M-x"), ("C-a", "^A"), ("C-Space", "C-Space"),
      ("C-End", "C-End"), ("é", "é"), ("漢", "漢"), ("M-é", "M-é"), ("Escape", "Esc"),
    ]

    @Test func `its keys are the chords that they are called`() async throws {
      let folder = try TemporaryFolder()
      let file = folder.file("keys")
      let tmux = try await Tmux([
        "sh", "-c", "stty raw -echo; echo ready; exec cat > '\(file)'",
      ])
      try await tmux.waitUntil("a pane that reads") { $0.joined().contains("ready") }
      // Between two keys a letter, so that none is taken for a part of the next one.
      for key in Self.keys { try await tmux.send(key.tmux, "|") }
      try await eventually("the last key") {
        try Data(contentsOf: URL(fileURLWithPath: file)).filter { $0 == UInt8(ascii: "|") }.count
          == Self.keys.count
      }
      let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
      await tmux.end()
      for (piece, key) in zip(bytes.split(separator: UInt8(ascii: "|")), Self.keys) {
        var decoder = KeyDecoder()
        let start = ContinuousClock.now
        let events =
          decoder.feed(piece, at: start) + decoder.flush(at: start + .seconds(1))
        #expect(events.map(Self.name) == [key.chord], "\(key.tmux): \(Array(piece))")
      }
    }

    private static func name(_ event: InputEvent) -> String {
      if case .key(let chord) = event { chord.description } else { "\(event)" }
    }
  }
}
