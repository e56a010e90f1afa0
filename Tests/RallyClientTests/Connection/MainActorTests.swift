import Dispatch
import Foundation
import RallyClient
import RallySystem
import RallyTestSupport
import RallyWire
import Synchronization
import Testing

/// Asked for on the main actor, as stores do: the work is done elsewhere.
@MainActor @Suite struct MainActorTests {
  /// The queue of the main actor, whichever thread serves it.
  private enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()

    static func mark() { DispatchQueue.main.setSpecific(key: key, value: true) }
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
  }

  init() {
    MainQueue.mark()
    #expect(MainQueue.isCurrent)
  }

  /// Notes of each value whether the main actor wrote and read it.
  private struct Traced: Codable, Sendable {
    var isWrittenOnMain = false
    var isReadOnMain = false

    init() {}

    init(from decoder: any Decoder) throws {
      isWrittenOnMain = try decoder.singleValueContainer().decode(Bool.self)
      isReadOnMain = MainQueue.isCurrent
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(MainQueue.isCurrent)
    }
  }

  /// Has the name of a function of the server, and notes the same of its body and its answer.
  private struct TracedCall: RemoteFunction {
    struct Output: Codable, Sendable {
      let isReadOnMain: Bool

      init(from decoder: any Decoder) throws { isReadOnMain = MainQueue.isCurrent }
      func encode(to encoder: any Encoder) throws {}
    }

    final class Trace: Sendable {
      let isWrittenOnMain = Mutex<Bool?>(nil)
    }

    enum CodingKeys: String, ArgumentKey { case limit }

    static let name = FetchFriends.name
    let trace: Trace

    init(_ trace: Trace) { self.trace = trace }
    init(from decoder: any Decoder) throws { trace = Trace() }

    func encode(to encoder: any Encoder) throws {
      trace.isWrittenOnMain.withLock { $0 = MainQueue.isCurrent }
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(1, forKey: .limit)
    }
  }

  @Test func `the JSON of a call is written and read elsewhere`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      #expect(MainQueue.isCurrent)
      let trace = TracedCall.Trace()
      let answer = try await ana.client.call(TracedCall(trace))
      #expect(trace.isWrittenOnMain.withLock { $0 } == false)
      #expect(!answer.isReadOnMain)
    }
  }

  @Test func `the JSON of a file is written and read elsewhere`() async throws {
    let folder = try TemporaryFolder()
    let service = PersistenceService(folder: folder.path)
    try await service.save(Traced(), withKey: "a")
    let kept = try #require(try await service.retrieve(Traced.self, withKey: "a"))
    #expect(!kept.isWrittenOnMain && !kept.isReadOnMain)
    let read = try #require(try await service.read(Traced.self, withKey: "a"))
    #expect(!read.isReadOnMain)
  }
}
