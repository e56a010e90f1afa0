import Foundation
import HTTPTypes
import Hummingbird
import RallyRules
import RallyStorage
import RallyWire
import Synchronization

/// `/health` for everybody, and `/metrics` on the operator's listener.
struct OperationRoutes: Sendable {
  typealias Context = ServerRequestContext

  let readiness: Readiness
  let storage: Storage
  /// nil leaves the route out.
  let metrics: (@Sendable () async -> String)?

  func add(to router: Router<Context>) {
    router.get("health") { _, _ in try await health() }
    // A server that responds is alive.
    router.get("health/alive") { _, _ in try Response.json(["status": "alive"]) }
    guard let metrics else { return }
    router.get("metrics") { _, _ in
      Response(
        status: .ok, headers: [.contentType: MetricsText.contentType],
        body: .init(byteBuffer: ByteBuffer(string: await metrics())))
    }
  }

  /// 200 while requests are accepted and the database responds and can be changed, 503 otherwise.
  private func health() async throws -> Response {
    guard readiness.isReady else {
      return try .json(["status": "ending"], status: .serviceUnavailable)
    }
    let status =
      switch try? await storage.read({ try $0.isReadOnly() }) {
      case nil: "no database"
      case true?: "read-only database"
      case false?: "ready"
      }
    return try .json(
      ["status": status], status: status == "ready" ? .ok : .serviceUnavailable)
  }
}

/// Whether new requests are accepted; false once shutdown has begun.
final class Readiness: Sendable {
  private let isEnding = Atomic(false)

  var isReady: Bool { !isEnding.load(ordering: .relaxed) }

  func end() { isEnding.store(true, ordering: .relaxed) }
}
