import RallyDomain
import RallyWire

/// The sequences that make a notification, as terminals read them.
enum NotificationSequence {
  static let title = "Rally"

  /// - Parameters:
  ///   - text: Clean text without the character that ends a sequence.
  ///   - terminator: BEL or ST.
  static func sequences(_ text: String, by way: NotificationWay, terminator: String) -> [String] {
    let text = text.cleanedForDisplay
    func osc(_ body: String) -> String { "\u{1b}]\(body)\(terminator)" }
    switch way {
    case .osc9:
      // A number at the beginning would be one of ConEmu's commands.
      return [osc("9;\(title): \(text)")]
    case .osc777:
      return [osc("777;notify;\(title);\(text.replacing(";", with: ","))")]
    case .osc99:
      // The same identifier each time: the newest takes the place of the one before.
      return [osc("99;i=rally:d=0;\(title)"), osc("99;i=rally:d=1:p=body;\(text)")]
    case .auto, .bell, .dbus, .none: return []
    }
  }

  /// Asks a multiplexer to hand a sequence on to its terminal.
  static func wrap(_ sequence: String, for multiplexer: NotificationRoute.Multiplexer) -> String {
    switch multiplexer {
    case .tmux: "\u{1b}Ptmux;\(sequence.replacing("\u{1b}", with: "\u{1b}\u{1b}"))\u{1b}\\"
    case .screen: "\u{1b}P\(sequence)\u{1b}\\"
    }
  }
}
