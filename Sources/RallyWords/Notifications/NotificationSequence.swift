import RallyDomain
import RallyText
import RallyWire

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
