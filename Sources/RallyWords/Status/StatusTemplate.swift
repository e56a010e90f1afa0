import RallyDomain
import RallySystem
import RallyText

/// A line with fields in braces, such as `{requests?{requests} asked }{mission} {mission.when}`.
///
/// `{name?text}` is its text where the field is neither empty nor zero; `{{` and `}}` are braces.
public struct StatusTemplate: Hashable, Sendable {
  public enum Problem: ReportableError, Hashable, Sendable {
    case unknownField(String)
    /// A brace without its other half, or too many of them within each other.
    case unbalanced
    case tooLong
    /// The text is no bar and no template.
    case unknownFormat(String)

    public var sentence: String {
      switch self {
      case .unknownField(let name):
        "There is no {\(name.cleanedForDisplay.prefix(40))}. The fields are "
          + "\(StatusTemplate.fields.map(\.name).joined(separator: ", "))."
      case .unbalanced: "A brace has no other half; {{ and }} are braces themselves."
      case .tooLong: "A template has at most \(StatusTemplate.longest) bytes."
      case .unknownFormat(let text):
        "“\(text.cleanedForDisplay.prefix(40))” is no format: choose tmux, waybar or i3bar, or write a"
          + " template like '{requests} {near}'."
      }
    }
  }

  private indirect enum Piece: Hashable, Sendable {
    case text(String)
    case field(String)
    case condition(String, [Piece])
  }

  /// Bytes.
  static let longest = 4096
  private static let deepest = 8

  private let pieces: [Piece]

  /// - Throws: `Problem`.
  public init(_ text: Substring) throws(Problem) {
    guard text.utf8.count <= Self.longest else { throw .tooLong }
    var rest = text
    pieces = try Self.pieces(&rest, depth: 0)
    guard rest.isEmpty else { throw .unbalanced }
  }

  private static func pieces(_ rest: inout Substring, depth: Int) throws(Problem) -> [Piece] {
    guard depth <= deepest else { throw .unbalanced }
    var pieces: [Piece] = []
    var literal = ""
    while let character = rest.first {
      if rest.hasPrefix("{{") || rest.hasPrefix("}}") && depth == 0 {
        literal.append(character)
        rest.removeFirst(2)
        continue
      }
      if character == "}" {
        if depth == 0 { throw .unbalanced }
        break
      }
      rest.removeFirst()
      guard character == "{" else {
        literal.append(character)
        continue
      }
      if !literal.isEmpty { pieces.append(.text(literal)) }
      literal = ""
      pieces.append(try piece(&rest, depth: depth))
    }
    return literal.isEmpty ? pieces : pieces + [.text(literal)]
  }

  /// What follows an opening brace, up to its other half.
  private static func piece(_ rest: inout Substring, depth: Int) throws(Problem) -> Piece {
    let name = String(rest.prefix { $0 != "}" && $0 != "?" && $0 != "{" })
    rest.removeFirst(name.count)
    guard fields.contains(where: { $0.name == name }) else { throw .unknownField(name) }
    var piece = Piece.field(name)
    if rest.first == "?" {
      rest.removeFirst()
      piece = .condition(name, try pieces(&rest, depth: depth + 1))
    }
    guard rest.popFirst() == "}" else { throw .unbalanced }
    return piece
  }

  /// The line; control characters of the template itself are removed too.
  func text(of report: StatusReport, as place: StatusPlace) -> String {
    Self.text(of: pieces, report, place).cleanedForDisplay
  }

  private static func text(
    of pieces: [Piece], _ report: StatusReport, _ place: StatusPlace
  ) -> String {
    pieces.map { piece in
      switch piece {
      case .text(let text): return text
      case .field(let name): return place.escaped(value(name, report))
      case .condition(let name, let inner):
        let value = value(name, report)
        return value.isEmpty || value == "0" ? "" : text(of: inner, report, place)
      }
    }.joined()
  }

  private static func value(_ name: String, _ report: StatusReport) -> String {
    fields.first { $0.name == name }?.value(report) ?? ""
  }

  /// A field: its name, what it is, and its value.
  public struct Field: Sendable {
    public let name: String
    public let summary: String
    let value: @Sendable (StatusReport) -> String
  }

  public static let fields: [Field] = [
    Field(name: "requests", summary: "friend requests") { "\($0.requests)" },
    Field(name: "questions", summary: "friends who ask where you are") { "\($0.questions)" },
    Field(name: "invitations", summary: "invitations to missions") { "\($0.invitations)" },
    Field(name: "waiting", summary: "these three together") { "\($0.waiting)" },
    Field(name: "friends", summary: "all friends") { "\($0.friends)" },
    Field(name: "near", summary: "friends within 5 km") { "\($0.near)" },
    Field(name: "near.names", summary: "their names, at most five") {
      $0.nearNames.joined(separator: ", ")
    },
    Field(name: "live", summary: "friends with a position of the last ten minutes") {
      "\($0.live)"
    },
    Field(name: "mission", summary: "the next mission's title") { $0.mission?.title ?? "" },
    Field(name: "mission.when", summary: "when it starts, or until when it runs") {
      $0.mission?.when ?? ""
    },
    Field(name: "seen", summary: "friends who can see where you are") { "\($0.seen)" },
    Field(name: "seen.precise", summary: "those of them who see it precisely") {
      "\($0.seenPrecisely)"
    },
    Field(name: "seen.level", summary: "what the closest sees: off, 10km, 1km, precise, ghost") {
      $0.seenLevel
    },
    Field(name: "policy", summary: "normal, constrained or critical") { $0.policy },
    Field(name: "age", summary: "since when it is old; empty while an interface is connected") {
      $0.age
    },
    Field(name: "username", summary: "your username") { $0.username },
  ]
}
