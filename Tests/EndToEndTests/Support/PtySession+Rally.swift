import Foundation
import RallyTestSupport

extension PtySession {
  /// Waits for the three tabs with this person signed in.
  @discardableResult
  func waitForTabs(of username: String) async throws -> ScreenEmulator {
    try await waitUntil("the tabs of @\(username)") {
      $0.lines[0].contains("3 Friends") && $0.lines[0].contains("@\(username)")
    }
  }

  /// Waits until changes arrive as they happen, and what they change is known: what the first list
  /// brings is no news.
  @discardableResult
  func waitUntilLive() async throws -> ScreenEmulator {
    try await waitUntil("a live link and lists") { screen in
      screen.lines[0].contains("● live") && !screen.lines.contains { $0.contains("no list yet") }
    }
  }

  /// What a program that has ended left switched on in its terminal; empty when nothing is.
  var leftBehind: [String] {
    var left = screen.leftovers
    if screen.isAlternate { left.append("the alternate screen") }
    if settings != initialSettings {
      left.append(
        "settings \(settings?.description ?? "gone") instead of \(initialSettings)")
    }
    return left
  }
}
