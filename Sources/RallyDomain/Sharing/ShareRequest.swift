import Foundation
import RallyText
import RallyWire

/// A parsed sharing command: `precise @ana 2h`, `off`, `city 1d`.
public struct ShareRequest: Hashable, Sendable {
  public var mode: SharingMode
  /// Nil sets the default for all friends.
  public var friendID: UUID?
  public var until: WireTime?

  /// - Parameters:
  ///   - words: The mode, then optionally a friend and a duration in either order.
  ///   - sharing: The friends who can be named.
  /// - Throws: `FieldProblem` that says what to type instead.
  public init(_ words: [String], sharing: SharingTable?, now: WireTime) throws(FieldProblem) {
    mode = try SharingMode(typed: words.first ?? "")
    for word in words.dropFirst() {
      let name = word.hasPrefix("@") ? String(word.dropFirst()) : word
      if let friend = sharing?.friends.first(where: { $0.username == name.lowercased() }) {
        friendID = friend.id
      } else if word.first?.isNumber == true {
        until = now.advanced(by: try ShareTime.duration(typed: word))
      } else {
        throw FieldProblem(
          field: .place, advice: "No friend of yours is called @\(name.cleanedForDisplay).")
      }
    }
  }
}
