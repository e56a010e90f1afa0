import RallyDomain
import RallyWire
import TerminalKit

/// Glyph and colour of a mission's status for me; the glyph is unambiguous without colour.
struct MissionMark {
  var glyph: String
  var style: Style

  init(_ mission: Mission, isInFlight: Bool = false, at now: WireTime) {
    if isInFlight {
      (glyph, style) = ("~", .warning)
      return
    }
    switch mission.phase(at: now) {
    case .completed: (glyph, style) = ("✓", .success)
    case .cancelled: (glyph, style) = ("x", .dim)
    case .ended: (glyph, style) = ("·", .dim)
    case .upcoming, .active:
      switch mission.myState {
      case .invited: (glyph, style) = ("?", .accent.bold)
      case .joined: (glyph, style) = ("◆", .accent)
      case .left, nil: (glyph, style) = ("◇", .dim)
      }
    }
  }
}

/// How far a mission has come, as a bar: `▰▰▱▱`.
enum MissionBar {
  /// - Parameter width: Cells; a bar of few steps has one cell for each of them, doubled where
  ///   there is room.
  static func spans(_ progress: (done: Int, of: Int), width: Int) -> [Span] {
    guard progress.of > 0, width > 0 else { return [] }
    let cells = progress.of <= width ? width / progress.of * progress.of : width
    // Something done is never drawn as nothing, and not all as everything.
    var full = progress.done * cells / progress.of
    if progress.done > 0 { full = max(1, full) }
    if progress.done < progress.of { full = min(cells - 1, full) }
    return [
      Span(String(repeating: "▰", count: full), .success),
      Span(String(repeating: "▱", count: cells - full), .dim),
    ]
  }
}
