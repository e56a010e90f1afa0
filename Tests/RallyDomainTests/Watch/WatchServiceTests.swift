import Foundation
import RallyServer
import RallyTestSupport
import RallyWatch
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain

@Suite struct WatchServiceTests {
  private func message(_ counter: Int64) -> WatchMessage {
    let bytes = Data(repeating: 7, count: WatchRules.placeBytes).base64EncodedString()
    let sealed = bytes.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    return WatchMessage(counter: counter, sealed: sealed)
  }

  private func withService(
    _ body: (TestPerson, WatchService) async throws -> Void
  ) async throws {
    try await TestServer.with(configure: { $0.publicURL = "https://rally.example.test" }) {
      server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      try await body(ana, WatchService(client: ana.client))
    }
  }

  @Test func `a link is made once, fed, listed and ended`() async throws {
    try await withService { _, service in
      let (id, clientID) = (WatchAddress.random().id, UUID())
      let until = WireTime.now.advanced(by: .seconds(3600))
      for _ in 0..<2 {
        let record = try await service.makeLink(
          id, mode: .approximate1km, until: until, clientID: clientID)
        #expect(record.linkID == id && record.mode == .approximate1km)
        #expect(!record.isFromPhone && record.watchers == 0)
      }
      #expect(try await service.feedLink(id, place: message(1), ground: nil) == 0)
      #expect(try await service.fetchLinks().map(\.linkID) == [id])
      try await service.endLinks(id)
      #expect(try await service.fetchLinks().isEmpty)
      let error = await #expect(throws: NetworkError.self) {
        try await service.feedLink(id, place: message(2), ground: nil)
      }
      guard case .refused(let failure, _)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(failure.reason == .notFound)
    }
  }

  @Test func `without a name all links end`() async throws {
    try await withService { _, service in
      let until = WireTime.now.advanced(by: .seconds(3600))
      for _ in 0..<2 {
        _ = try await service.makeLink(WatchAddress.random().id, mode: .precise, until: until)
      }
      #expect(try await service.fetchLinks().count == 2)
      try await service.endLinks()
      #expect(try await service.fetchLinks().isEmpty)
    }
  }

  @Test func `a server without links has none, one that is not reached is an error`() async throws {
    try await withService { ana, service in
      ana.gate.goOffline()
      let error = await #expect(throws: NetworkError.self) { try await service.fetchLinks() }
      #expect(error?.isOffline == true)
      ana.gate.goOffline(false)
      let missing = FunctionFailure(
        code: "PGRST202", message: "Could not find the function public.fetch_watch_links")
      ana.gate.fail("fetch_watch_links", with: .refused(missing, status: 404))
      let links = try await service.fetchLinks()
      #expect(links.isEmpty)
    }
  }
}
