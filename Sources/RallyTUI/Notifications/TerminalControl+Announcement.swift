import RallyDomain
import RallyWords
import TerminalKit

extension TerminalControl {
  /// Sends a notification through the terminal, even if another window has the focus.
  func announce(_ announcement: Announcement, by way: NotificationWay) {
    send { terminal in
      NotificationRoute(way, type: terminal.type, environment: terminal.environment)
        .bytes(for: announcement)
    }
  }
}
