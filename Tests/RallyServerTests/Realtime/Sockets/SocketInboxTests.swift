import Foundation
import RallyTestSupport
import Testing

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage

@Suite struct SocketInboxTests {
  private let resumed = Counter()
  private let outbox = SocketOutbox(serializer: .v1) {}

  private func hub() throws -> RealtimeHub {
    let keys = try ServerKeys()
    return RealtimeHub(
      gateway: Gateway(apiKey: keys.apiKey, signer: TokenSigner(keys: KeyRing(keys))),
      presentUsers: PresentUsers(), budgets: BudgetKeeper(), wake: {})
  }

  private func heartbeat(_ number: Int) -> SocketInbox.Item {
    .text(#"{"topic":"phoenix","event":"heartbeat","payload":{},"ref":"\#(number)"}"#)
  }

  @Test func `while the hub is busy reading is held, then all is answered in order`() async throws {
    // given
    let hub = try hub()
    let inbox = SocketInbox(hub: hub, outbox: outbox) { [resumed] in resumed.increment() }
    let (isBusy, goesOn) = (Counter(), DispatchSemaphore(value: 0))
    let busy = Task { await hub.block(isBusy, until: goesOn) }
    try await eventually("busy") { isBusy.value == 1 }
    inbox.add(.begin)
    #expect(!inbox.holdsReading())
    // when
    for number in 0..<SocketInbox.limit + 4 { inbox.add(heartbeat(number)) }
    #expect(inbox.holdsReading())
    goesOn.signal()
    await busy.value
    // then
    try await eventually("resumed") { resumed.value == 1 && !inbox.holdsReading() }
    inbox.add(.end)
    await hub.waitUntilEmpty()
    for number in 0..<SocketInbox.limit + 4 {
      guard case .text(let text)? = outbox.next() else {
        Issue.record("no answer \(number)")
        return
      }
      #expect(text.contains(#""ref":"\#(number)""#))
    }
    #expect(outbox.next() == nil)
    #expect(resumed.value == 1)
  }

  @Test func `the hub is waited for until the last socket told its end`() async throws {
    let hub = try hub()
    await hub.waitUntilEmpty()
    let inbox = SocketInbox(hub: hub, outbox: outbox) {}
    inbox.add(.begin)
    try await eventually("connected") { await !hub.connections.isEmpty }
    let waiting = Task {
      await hub.waitUntilEmpty()
      return await hub.connections.isEmpty
    }
    // Enough for it to come before the end.
    for _ in 0..<10 { _ = await hub.counts }
    inbox.add(.end)
    #expect(await waiting.value)
  }
}

extension RealtimeHub {
  /// Keeps the hub busy.
  fileprivate func block(_ began: Counter, until end: DispatchSemaphore) {
    began.increment()
    end.wait()
  }
}
