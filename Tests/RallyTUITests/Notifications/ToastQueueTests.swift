import Testing

@testable import RallyTUI

@Suite struct ToastQueueTests {
  private let start = ContinuousClock.now

  @Test func `the newest is shown for four seconds, and all are kept`() {
    var toasts = ToastQueue()
    toasts.show("one", at: start)
    toasts.show("two", kind: .success, at: start + .seconds(1))
    toasts.expire(at: start + .milliseconds(4999))
    #expect(toasts.current?.text == "two")
    toasts.expire(at: start + .seconds(5))
    #expect(toasts.current == nil)
    #expect(toasts.history.map(\.text) == ["one", "two"])
  }

  @Test func `a failure stays until it is dismissed`() {
    var toasts = ToastQueue()
    toasts.show("no", kind: .failure, at: start)
    #expect(toasts.deadline == nil)
    toasts.expire(at: start + .seconds(3600))
    #expect(toasts.current?.text == "no")
    toasts.dismiss()
    #expect(toasts.current == nil)
  }

  @Test func `a message replaces the one before it where both are of one topic`() {
    var toasts = ToastQueue()
    toasts.show("one", at: start)
    toasts.show("a", topic: "ana", at: start)
    toasts.show("b", topic: "ana", at: start)
    toasts.show("c", topic: "bob", at: start)
    toasts.show("d", topic: "ana", at: start)
    toasts.show("two", at: start)
    #expect(toasts.history.map(\.text) == ["one", "b", "c", "d", "two"])
  }

  @Test func `what says that the server was not reached goes when it is, and nothing else`() {
    var toasts = ToastQueue()
    toasts.show("Server not reached.", kind: .failure, untilReached: true, at: start)
    toasts.serverReached()
    #expect(toasts.current == nil)
    #expect(toasts.history.map(\.text) == ["Server not reached."])
    toasts.show("Wrong password.", kind: .failure, at: start)
    toasts.serverReached()
    #expect(toasts.current?.text == "Wrong password.")
  }

  @Test func `the history has an end`() {
    var toasts = ToastQueue()
    for index in 0..<600 { toasts.show("\(index)", at: start) }
    #expect(toasts.history.count == 500)
    #expect(toasts.history.first?.text == "100")
  }
}
