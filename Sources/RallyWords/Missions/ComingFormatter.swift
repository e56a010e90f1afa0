import FoundationEssentials
import RallyDomain
import RallySystem
import RallyWire
import TerminalKit

/// Who comes to a mission, a line for each.
package enum ComingFormatter {
  /// `→ bob 1.2 km · 14 min at this pace`, `✓ bob arrived 14:02`.
  ///
  /// - Parameters:
  ///   - me: Who is called `you`.
  ///   - width: Cells.
  @MainActor
  package static func line(_ person: Coming, me: UUID?, width: Int, at now: WireTime) -> [Span] {
    let text = "\(name(of: person, me)) \(words(of: person, at: now).joined(separator: " · "))"
    return [mark(of: person), Span(text.truncated(toCells: max(1, width - 2)))]
  }

  /// The same on as many lines as a narrow pane needs.
  @MainActor
  package static func lines(_ person: Coming, me: UUID?, width: Int, at now: WireTime) -> [Line] {
    let whole = line(person, me: me, width: .max, at: now)
    let words = words(of: person, at: now)
    guard words.count > 1, whole.reduce(0, { $0 + $1.text.cellWidth }) > width else {
      return [Line(line(person, me: me, width: width, at: now))]
    }
    let head = "\(name(of: person, me)) \(words[0])".truncated(toCells: max(1, width - 2))
    return [Line([mark(of: person), Span(head)])]
      + words.dropFirst().map { Line(Span("  \($0)".truncated(toCells: width), .dim)) }
  }

  /// `bob on the way: 1.2 km, 14 min at this pace`, for a reader of lists.
  @MainActor
  package static func sentence(_ person: Coming, me: UUID?, at now: WireTime) -> String {
    let lead = person.record.arrivedAt == nil && person.approach != nil ? "on the way: " : ""
    return "\(name(of: person, me)) \(lead)"
      + words(of: person, at: now).joined(separator: ", ")
  }

  /// Where nobody comes.
  package static func nobody(to mission: Mission) -> String {
    "Nobody shows you that they are on the way to \(mission.title)."
  }

  private static func name(of person: Coming, _ me: UUID?) -> String {
    person.id == me ? "you" : person.record.username
  }

  @MainActor private static func words(of person: Coming, at now: WireTime) -> [String] {
    person.words { MissionFormatter.pastMoment($0, at: now) }
  }

  private static func mark(of person: Coming) -> Span {
    person.record.arrivedAt != nil ? Span("✓ ", .success) : Span("→ ", .accent)
  }
}
