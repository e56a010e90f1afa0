import Foundation
import RallyTestSupport
import RallyWire
import Synchronization
import Testing

@testable import RallyClient
@testable import RallyDomain

/// The transport under a real `AuthService`: keeps what was sent and answers as the test says.
final class DraftServer: Sendable {
  static let userID = UUID()

  private let calls = Mutex<[HTTPCall]>([])
  private let answer: @Sendable () async throws -> HTTPAnswer

  init(_ answer: @escaping @Sendable () async throws -> HTTPAnswer) { self.answer = answer }

  /// A server that takes everything.
  static func accepting() -> DraftServer {
    DraftServer { try HTTPAnswer(status: 200, body: WireJSON.encode(session)) }
  }

  /// A server that refuses with a code of GoTrue's.
  static func refusing(_ code: AuthFailureCode, status: Int = 422) -> DraftServer {
    DraftServer {
      try HTTPAnswer(
        status: status, headers: [AuthFailure.versionHeader.lowercased(): AuthFailure.version],
        body: WireJSON.encode(AuthFailure(code, "refused")))
    }
  }

  static func unreachable() -> DraftServer {
    DraftServer { throw NetworkError.unreachable("Connection refused") }
  }

  var authService: AuthService { AuthService(client: client) }
  var serverHealthService: ServerHealthService { ServerHealthService(client: client) }

  private var client: SupabaseClient {
    let transport = Transport(
      send: { [self] call in
        calls.withLock { $0.append(call) }
        return try await answer().marked(for: call)
      },
      openSocket: { _ in throw NetworkError.unreachable("no sockets here") })
    return SupabaseClient(tokens: nil, transport: transport) {
      ServerAddress(endpoint: .unixSocket(path: "/nowhere"), key: "key")
    }
  }

  /// The bodies that were sent, in order.
  func bodies<Body: Decodable>(_ type: Body.Type) throws -> [Body] {
    try calls.withLock { $0 }.compactMap(\.body).map { try WireJSON.decode(type, from: $0) }
  }

  private static var session: AuthSession {
    AuthSession(
      accessToken: "access", expiresIn: 3600, expiresAt: 0, refreshToken: "refresh",
      user: AuthUser(
        id: userID, email: nil, appMetadata: [:], userMetadata: [:],
        createdAt: "2026-01-01T00:00:00Z",
        updatedAt: "2026-01-01T00:00:00Z"))
  }
}
