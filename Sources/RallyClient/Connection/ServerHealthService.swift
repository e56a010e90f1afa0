import Logging
import RallySystem
import RallyText
import RallyWire

/// Whether the server answers, and what it says of itself before anybody is signed in.
public final class ServerHealthService: Sendable {
  public static let shared = ServerHealthService(client: .shared)

  private let client: SupabaseClient
  private let log = RallyLog.logger("ServerHealth")

  public init(client: SupabaseClient) { self.client = client }

  /// Checks that the server responds, starting the embedded one if needed.
  ///
  /// - Throws: `NetworkError`, or `EmbeddedServerError` when it does not start.
  public func checkServer() async throws {
    let answer = try await client.configured().send(
      ServerConnection.Request(method: .get, path: "/auth/v1/health"), bearer: nil)
    log.info("checkServer — status: \(answer.status)")
  }

  /// The server's public settings, such as who may sign up.
  ///
  /// - Throws: `NetworkError`, or `EmbeddedServerError` when it does not start.
  public func fetchSettings() async throws -> AuthSettings {
    let answer = try await client.configured().send(
      ServerConnection.Request(method: .get, path: "/auth/v1/settings"), bearer: nil)
    log.info("fetchSettings — status: \(answer.status)")
    return try answer.decoded(AuthSettings.self)
  }

  /// The server's response time, version and clock.
  ///
  /// - Throws: as `checkServer`.
  public func examineServer() async throws -> ServerExamination {
    // Not timed: the server may have to be started first, and the connection opened.
    try await checkServer()
    let (clock, time) = (ContinuousClock.now, WireTime.now)
    let answer = try await client.configured().send(
      ServerConnection.Request(method: .get, path: "/auth/v1/health"), bearer: nil)
    return ServerExamination(answer, elapsed: ContinuousClock.now - clock, askedAt: time)
  }
}

/// The result of checking a server.
public struct ServerExamination: Hashable, Sendable {
  /// The response time on an open connection.
  public var milliseconds: Int
  /// `GoTrue 1.2.0`; nil if unknown.
  public var version: String?
  /// How far its clock is ahead of this machine's, in seconds, to about one; nil if unknown.
  public var skew: Int?

  init(_ answer: ServerAnswer, elapsed: Duration, askedAt: WireTime) {
    milliseconds = Int(elapsed.inMilliseconds)
    let health = try? WireJSON.decode(Health.self, from: answer.body)
    version = TextLimits.name.shown(
      [health?.name, health?.version].compactMap(\.self).joined(separator: " "))
    if version?.isEmpty == true { version = nil }
    guard let date = answer.headers["date"].flatMap(WireTime.init(httpDate:)) else { return }
    // The header has whole seconds: on average half a second is missing.
    let middle = askedAt.advanced(by: elapsed / 2)
    let difference = date.advanced(by: .milliseconds(500)).since(middle)
    skew = Int(difference.inSeconds.rounded())
  }

  private struct Health: Decodable {
    var name: String?
    var version: String?
  }
}
