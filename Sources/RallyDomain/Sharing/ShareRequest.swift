import FoundationEssentials
import RallyText
import RallyWire

/// A parsed sharing command: `precise @ana 2h`, `@ana city until 21:00`, `off`.
public struct ShareRequest: Hashable, Sendable {
  public var mode: SharingMode
  /// Nil sets the default for all friends.
  public var friendID: UUID?
  public var until: WireTime?

  /// Words that join the others and say nothing.
  private static let joints = ["for", "until", "with"]

  /// - Parameters:
  ///   - words: The mode, optionally a friend and an end, in any order. A friend whose name means
  ///     something else needs an `@`.
  ///   - sharing: The friends who can be named.
  ///   - timeZone: Of a time of day.
  /// - Throws: `FieldProblem` that says what to type instead.
  public init(
    _ words: [String], sharing: SharingTable?, now: WireTime, timeZone: LocalTimeZone = .current
  ) throws(FieldProblem) {
    var mode: SharingMode?
    for word in words where !Self.joints.contains(word.lowercased()) {
      let name = word.hasPrefix("@") ? String(word.dropFirst()) : word
      if mode == nil, let typed = try? SharingMode(typed: word) {
        mode = typed
      } else if let friend = sharing?.friends.first(where: { $0.username == name.lowercased() }) {
        friendID = friend.id
      } else if ShareEnds.isEnd(word) {
        until = try ShareEnds(now: now, timeZone: timeZone).end(typed: word)
      } else {
        // Before a mode, a bare word is a mistyped one.
        if mode == nil, name == word { _ = try SharingMode(typed: word) }
        throw FieldProblem(
          field: .place, advice: "No friend of yours is called @\(name.cleanedForDisplay).")
      }
    }
    self.mode = if let mode { mode } else { try SharingMode(typed: "") }
  }
}
