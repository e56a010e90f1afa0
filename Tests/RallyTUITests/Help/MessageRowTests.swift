import Testing

@testable import RallyTUI
@testable import TerminalKit

@Suite struct MessageRowTests {
  @Test func `a long message is whole, in as many lines as it needs`() {
    let text = "Server not reached (connection refused). Check the network, then try again."
    var toasts = ToastQueue()
    toasts.show(text, kind: .failure, at: .now)
    let rows = MessageRow.rows(toasts.history[0], width: 36)
    #expect(rows.count > 2)
    #expect(rows.map(\.text).joined(separator: " ") == text)
    #expect(rows.map(\.id.line) == Array(0..<rows.count))
  }
}
