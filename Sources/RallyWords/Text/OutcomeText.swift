import RallyDomain
import RallyMap
import RallyStreets
import RallySystem
import RallyText
import RallyWire
import TerminalKit

/// What is said once an act of one's own is done, on a screen as by a verb.
package enum OutcomeText {
  // MARK: Friends

  /// - Parameter handle: `@ana`.
  package static func friends(_ handle: String) -> String {
    "You and \(handle) are friends now."
  }

  package static func asked(_ handle: String) -> String { "You asked \(handle)." }

  package static func withdrew(_ handle: String) -> String {
    "You withdrew your request to \(handle)."
  }

  package static func unfriended(_ handle: String) -> String {
    "You and \(handle) are no longer friends."
  }

  package static func blocked(_ handle: String) -> String { "You blocked \(handle)." }

  package static func unblocked(_ handle: String) -> String { "You unblocked \(handle)." }

  package static func askedWhere(_ handle: String) -> String {
    "You asked \(handle) where they are."
  }

  package static func dismissed(_ handle: String) -> String {
    "\(handle) gets no answer, and is not told."
  }

  // MARK: Missions

  package static func joined(_ mission: Mission) -> String { "You are in \(mission.title)." }

  package static func completed(_ mission: Mission) -> String {
    "\(mission.title) is completed."
  }

  // MARK: What others were given

  package static func revoked(_ code: InvitationCode) -> String {
    "Nobody can accept \(code) any more."
  }

  package static func revoked(_ phone: PhoneRecord) -> String {
    "\(phone.name.cleanedForDisplay) no longer reports for you."
  }

  /// - Parameter name: An SSH key's.
  package static func removedKey(_ name: String) -> String {
    "\(name) no longer comes in as you."
  }

  /// `The link has ended: it shows nothing any more.`, after an intent that ended so many.
  package static func endedLinks(_ count: Int) -> String {
    switch count {
    case 0: "No link shows you."
    case 1: "The link has ended: it shows nothing any more."
    default: "\(count) links have ended: they show nothing any more."
    }
  }

  package static let calendarRevoked = "The address of your calendar no longer works."
  package static let noCalendarAddress = "Your calendar has no address."
}

package enum BulkActionText {
  /// The first names and the number of the others: `Ana Pereira, Kenji and 3 more`.
  package static func names(_ names: [String], limit: Int = 3) -> String {
    guard names.count > limit else {
      guard let last = names.last, names.count > 1 else { return names.first ?? "" }
      return "\(names.dropLast().joined(separator: ", ")) and \(last)"
    }
    return "\(names.prefix(limit).joined(separator: ", ")) and \(names.count - limit) more"
  }

  /// - Parameters:
  ///   - done: Past tense: `accepted`.
  ///   - failures: The name and the error of each failure.
  package static func result(
    _ count: Int, _ done: String, failures: [(name: String, sentence: String)]
  ) -> String {
    guard let first = failures.first else { return "\(count) \(done)." }
    return "\(count) \(done), \(failures.count) failed: \(first.name). \(first.sentence)"
  }
}

// What modules without knowledge of the domain throw, for people and for the log.

extension ClipboardError: ReportableError {}

extension VectorTileError: ReportableError {
  public var sentence: String { description }
}

extension WorldMapError: ReportableError {
  public var sentence: String { "The world map in this program is damaged. Install Rally again." }
}
