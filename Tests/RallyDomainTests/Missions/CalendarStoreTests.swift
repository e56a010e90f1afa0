import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain

@MainActor
@Suite struct CalendarStoreTests {
  @Test func `an address whose answer was lost is known, and can be revoked`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let service = CalendarService(client: ana.client)
      let store = CalendarStore(
        calendarService: service, server: .remote(try ServerURL(server.url), key: server.key))
      await store.fetchAddress()
      ana.gate.loseAnswer("make_calendar_address", times: .max)
      #expect(await !store.makeAddress().isDone)
      #expect(store.made == nil && store.record != nil)
      #expect(store.loadState == .loaded && store.problem != nil)
      #expect(await store.revokeAddress().isDone)
      #expect(store.record == nil)
      #expect(try await service.fetchAddress() == nil)
    }
  }

  @Test func `an address is revoked while it is looked for, and is not found by that`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let store = CalendarStore(
        calendarService: CalendarService(client: ana.client),
        server: .remote(try ServerURL(server.url), key: server.key))
      await store.fetchAddress()
      #expect(await store.makeAddress().isDone)
      ana.gate.hold("fetch_calendar_address")
      async let fetch: Void = store.fetchAddress()
      #expect(await ana.gate.isHeld("fetch_calendar_address"))
      #expect(await store.revokeAddress().isDone)
      // As an answer that was on its way already.
      ana.gate.answer(
        "/fetch_calendar_address",
        HTTPAnswer(
          status: 200, body: Data(#"[{"created_at":"2026-05-01T18:00:00.000000+00:00"}]"#.utf8)))
      ana.gate.release("fetch_calendar_address")
      await fetch
      #expect(store.record == nil)
    }
  }

  @Test func `none is made on this machine's own server, or besides another one`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let service = CalendarService(client: ana.client)
      let embedded = CalendarStore(calendarService: service, server: .embedded)
      await embedded.fetchAddress()
      #expect(await !embedded.makeAddress().isDone)
      #expect(try await service.fetchAddress() == nil)
      let store = CalendarStore(
        calendarService: service, server: .remote(try ServerURL(server.url), key: server.key))
      await store.fetchAddress()
      #expect(await store.makeAddress().isDone)
      let made = store.made
      #expect(made?.url.hasPrefix("\(server.url)/calendar/") == true)
      #expect(await !store.makeAddress().isDone)
      #expect(store.made == made && ana.gate.calls(of: "make_calendar_address") == 1)
      store.forgetMade()
      #expect(store.made == nil && store.record != nil)
    }
  }
}
