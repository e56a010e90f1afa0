import RallyDomain
import RallyEnvironment
import RallyWords
import TerminalKit

/// Shows an announcement where the configuration says: on the desktop, or through the terminal,
/// which also takes what the desktop did not.
struct NotificationDispatcher {
  let notifier: DesktopNotifier?
  let terminal: TerminalControl

  /// Whether the desktop's notification service is tried first. A bell always uses the terminal.
  static func isDesktops(_ announcement: Announcement, _ way: NotificationWay) -> Bool {
    announcement.level == .message && (way == .auto || way == .dbus)
  }

  func notify(_ announcement: Announcement, by way: NotificationWay) {
    guard let notifier, Self.isDesktops(announcement, way) else {
      return terminal.announce(announcement, by: way)
    }
    let terminal = terminal
    Task {
      if await notifier.show(announcement) != nil { terminal.announce(announcement, by: way) }
    }
  }

  /// Called when the window gets focus: closes the notifications that were shown.
  func seen() {
    guard let notifier else { return }
    Task { await notifier.close() }
  }
}

extension TerminalControl {
  /// Sends a notification through the terminal, even if another window has the focus.
  func announce(_ announcement: Announcement, by way: NotificationWay) {
    send { terminal in
      NotificationRoute(way, type: terminal.type, environment: terminal.environment)
        .bytes(for: announcement)
    }
  }
}

private struct DesktopNotifierKey: EnvironmentKey {
  static var defaultValue: DesktopNotifier? { nil }
}

extension EnvironmentValues {
  /// The desktop's notification service; nil if there is none.
  public var desktopNotifier: DesktopNotifier? {
    get { self[DesktopNotifierKey.self] }
    set { self[DesktopNotifierKey.self] = newValue }
  }
}
