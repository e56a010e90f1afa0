import RallyDomain
import RallyText
import RallyWire
import TerminalKit

/// The escape sequence that sends a notification through this terminal, and the multiplexer in
/// between.
public struct NotificationRoute: Hashable, Sendable {
  /// A terminal multiplexer, which must be asked to pass the sequence through.
  public enum Multiplexer: String, Hashable, Sendable { case tmux, screen }

  /// Never `.auto` or `.dbus`.
  public let way: NotificationWay
  public let multiplexer: Multiplexer?
  /// Continues "because": `TERM_PROGRAM is WezTerm`.
  public let reason: String

  /// - Parameters:
  ///   - way: The configured way; `auto` and `dbus` choose from the environment.
  ///   - type: The terminal type; nil reads `TERM`.
  public init(_ way: NotificationWay, type: String? = nil, environment: [String: String]) {
    let type = type ?? environment["TERM"] ?? ""
    multiplexer = Self.multiplexer(type, environment)
    // Notifications that the desktop did not accept use the terminal's way.
    if way != .auto, way != .dbus {
      self.way = way
      reason = "it is set"
    } else if TerminalCapabilities.isLimited(type: type) || type.isEmpty {
      self.way = .bell
      reason = type.isEmpty ? "TERM is not set" : "TERM is \(type)"
    } else {
      let found = Self.known(type, environment)
      self.way = found?.way ?? .bell
      reason = found?.reason ?? "nothing is known of this terminal"
    }
  }

  private static func multiplexer(
    _ type: String, _ environment: [String: String]
  ) -> Multiplexer? {
    if !environment["TMUX", default: ""].isEmpty || type.hasPrefix("tmux") { return .tmux }
    if !environment["STY", default: ""].isEmpty || type.hasPrefix("screen") { return .screen }
    return nil
  }

  /// What the terminal supports, detected from its environment variables; a multiplexer may pass on
  /// those of the outer terminal.
  ///
  /// Sources: kitty's "Desktop notifications" (OSC 99), iTerm2's "Proprietary Escape Codes" (OSC
  /// 9), and the manuals of foot, WezTerm, Ghostty, rxvt-unicode and VTE (OSC 777).
  private static func known(
    _ type: String, _ environment: [String: String]
  ) -> (way: NotificationWay, reason: String)? {
    func isSet(_ name: String) -> Bool { !environment[name, default: ""].isEmpty }
    if isSet("KITTY_WINDOW_ID") { return (.osc99, "KITTY_WINDOW_ID is set") }
    if type.hasPrefix("xterm-kitty") { return (.osc99, "TERM is \(type)") }
    let program = environment["TERM_PROGRAM"] ?? environment["LC_TERMINAL"] ?? ""
    let ways: [String: NotificationWay] = [
      "iTerm.app": .osc9, "iTerm2": .osc9, "WezTerm": .osc777, "ghostty": .osc777,
      "vscode": .bell, "Apple_Terminal": .bell,
    ]
    if let way = ways[program] { return (way, "the terminal is \(program)") }
    if isSet("VTE_VERSION") { return (.osc777, "VTE_VERSION is set") }
    for family in ["foot", "rxvt-unicode", "xterm-ghostty"] where type.hasPrefix(family) {
      return (.osc777, "TERM is \(type)")
    }
    return nil
  }

  /// The bytes to send; empty if there is nothing to send.
  ///
  /// - Parameter announcement: At the level `bell`, only the bell is sent.
  public func bytes(for announcement: Announcement) -> String {
    guard announcement.level != .off, way != .none else { return "" }
    guard announcement.level == .message, way != .bell else { return Self.bell }
    let sequences = NotificationSequence.sequences(
      announcement.text, by: way, terminator: multiplexer == .screen ? Self.bell : "\u{1b}\\")
    guard let multiplexer else { return sequences.joined() }
    // A multiplexer that is not configured to pass it through drops the sequence, so the bell is
    // sent separately.
    return sequences.map { NotificationSequence.wrap($0, for: multiplexer) }.joined() + Self.bell
  }

  private static let bell = "\u{07}"
}

/// Builds the escape sequences of notifications.
package enum NotificationSequence {
  static let title = "Rally"

  /// - Parameters:
  ///   - text: Cleaned for display, without the terminator.
  ///   - terminator: BEL or ST.
  package static func sequences(_ text: String, by way: NotificationWay, terminator: String)
    -> [String]
  {
    let text = text.cleanedForDisplay
    func osc(_ body: String) -> String { "\u{1b}]\(body)\(terminator)" }
    switch way {
    case .osc9:
      // A leading number would be a ConEmu command.
      return [osc("9;\(title): \(text)")]
    case .osc777:
      return [osc("777;notify;\(title);\(text.replacing(";", with: ","))")]
    case .osc99:
      // With the same identifier, a new notification replaces the previous one.
      return [osc("99;i=rally:d=0;\(title)"), osc("99;i=rally:d=1:p=body;\(text)")]
    case .auto, .bell, .dbus, .none: return []
    }
  }

  /// Wraps a sequence so that a multiplexer passes it through to its terminal.
  static func wrap(_ sequence: String, for multiplexer: NotificationRoute.Multiplexer) -> String {
    switch multiplexer {
    case .tmux: "\u{1b}Ptmux;\(sequence.replacing("\u{1b}", with: "\u{1b}\u{1b}"))\u{1b}\\"
    case .screen: "\u{1b}P\(sequence)\u{1b}\\"
    }
  }
}
