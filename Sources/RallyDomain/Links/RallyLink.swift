import RallySystem
import RallyText
import RallyWire

/// A `rally://` link that another program hands over: an invitation, to friendship or to a mission,
/// with the server that it is from; or a mission, as a calendar names it.
public struct RallyLink: Hashable, Sendable {
  /// Why a text is not opened.
  public enum Problem: ReportableError, Hashable, Sendable {
    case tooLong
    case controlCharacters
    case noLink
    /// The scheme, as it was given.
    case otherScheme(String)
    /// What follows `rally://`.
    case unknownKind(String)
    case invalid(FieldProblem)

    public var sentence: String {
      switch self {
      case .tooLong: "The link has more than \(RallyLink.longest) bytes."
      case .controlCharacters: "The link has characters that no link has."
      case .noLink: "This is no link; Rally opens rally://invite/… and rally://mission/…"
      case .otherScheme(let scheme):
        "Rally opens rally: links; this is one of \(scheme.cleanedForDisplay.prefix(20)):"
      case .unknownKind(let kind):
        "Rally opens rally://invite/… and rally://mission/… links; this is one of \(kind.cleanedForDisplay.prefix(20))."
      case .invalid(let problem): problem.advice
      }
    }
  }

  /// Bytes.
  public static let longest = 2048

  public enum Target: Hashable, Sendable {
    case invitation(InvitationLink)
    case mission(MissionLink)
  }

  public let target: Target

  public var invitation: InvitationLink? {
    if case .invitation(let link) = target { link } else { nil }
  }

  /// - Throws: `Problem`, for everything but a link that can be opened.
  public init(_ text: String) throws(Problem) {
    guard text.utf8.count <= Self.longest else { throw .tooLong }
    // All of a link is ASCII without blanks: RFC 3986.
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .controlCharacters }
    if let mission = MissionLink(text) {
      target = .mission(mission)
      return
    }
    guard InvitationLink.isLink(text) else {
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw .noLink }
      guard parts[0].lowercased() == "rally" else { throw .otherScheme(String(parts[0])) }
      throw .unknownKind(String(parts[1].drop { $0 == "/" }.prefix { $0 != "/" && $0 != "?" }))
    }
    do throws(FieldProblem) {
      target = .invitation(try InvitationLink(text))
    } catch {
      throw .invalid(error)
    }
  }

  /// As the program that opens it reads it; nothing is left of what this does not know.
  public var text: String {
    switch target {
    case .invitation(let link): link.description
    case .mission(let link): link.description
    }
  }
}
