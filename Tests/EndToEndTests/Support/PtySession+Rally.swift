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

  /// Waits until changes arrive as they happen.
  @discardableResult
  func waitUntilLive() async throws -> ScreenEmulator {
    try await waitUntil("a live link") { $0.lines[0].contains("● live") }
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
