import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import RallyText
import RallyWire

/// Sends exactly what a test gives it to a server, and shows exactly what came back.
package struct RawClient: Sendable {
  package struct Reply: Sendable {
    package var status: Int
    package var headers: HTTPHeaders
    package var body: Data

    package var json: JSONValue { (try? WireJSON.decode(JSONValue.self, from: body)) ?? .null }
    package func decoded<T: Decodable>(_ type: T.Type) throws -> T {
      try WireJSON.decode(type, from: body)
    }
  }

  private let address: @Sendable () -> String
  package let key: String
  package var token: String?

  package init(_ server: TestServer, token: String? = nil) {
    address = { server.url }
    key = server.key
    self.token = token
  }

  package init(url: String, key: String) {
    address = { url }
    self.key = key
  }

  /// Where the next request goes.
  private var url: String { address() }

  package func send(
    _ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil,
    headers: [String: String] = [:]
  ) async throws -> Reply {
    try await send(
      method, path, data: body.map { try WireJSON.encode($0) }, headers: headers)
  }

  package func send(
    _ method: HTTPMethod, _ path: String, data: Data?, headers: [String: String] = [:]
  ) async throws -> Reply {
    var request = HTTPClientRequest(url: url + path)
    request.method = method
    request.headers.add(name: "apikey", value: key)
    request.headers.add(name: "authorization", value: "Bearer \(token ?? key)")
    if let data {
      request.headers.add(name: "content-type", value: "application/json")
      request.body = .bytes(ByteBuffer(bytes: data))
    }
    for (name, value) in headers {
      request.headers.remove(name: name)
      if !value.isEmpty { request.headers.add(name: name, value: value) }
    }
    let response = try await RawClient.execute(request)
    let data = try await response.body.collect(upTo: 1 << 22)
    return Reply(
      status: Int(response.status.code), headers: response.headers,
      body: Data(data.readableBytesView))
  }

  private static func execute(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
    do {
      return try await HTTPClient.shared.execute(request, timeout: .init(PollingBackoff.limit))
    } catch ChannelError.ioOnClosedChannel {
      // A connection that was kept has just been closed, and nothing was sent.
      return try await HTTPClient.shared.execute(request, timeout: .init(PollingBackoff.limit))
    }
  }

  package func call<F: RemoteFunction>(_ function: F, clientID: UUID? = nil) async throws -> Reply {
    try await call(FunctionCall(function, clientID: clientID))
  }

  package func call<F>(_ call: FunctionCall<F>) async throws -> Reply {
    try await send(
      .POST, "/rest/v1/rpc/\(F.name)", data: WireJSON.encode(call),
      headers: (F.Output.self as? any RequestedOutput.Type).map { ["Prefer": $0.preference] } ?? [:]
    )
  }

  /// The function's result; a refusal is thrown as `FunctionFailure`.
  package func result<F: RemoteFunction>(of function: F, clientID: UUID? = nil) async throws
    -> F.Output
  {
    try await result(of: FunctionCall(function, clientID: clientID))
  }

  package func result<F>(of call: FunctionCall<F>) async throws -> F.Output {
    let reply = try await self.call(call)
    guard reply.status < 300 else { throw try reply.decoded(FunctionFailure.self) }
    if let none = NoContent() as? F.Output { return none }
    return try reply.decoded(F.Output.self)
  }
}

/// A person with an account on a test server.
package struct Person: Sendable {
  package let client: RawClient
  package let session: AuthSession
  package let username: String

  package var id: UUID { session.user.id }
  package var wireID: String { id.wireText }

  package static let password = "correct horse"

  package static func signUp(_ username: String, on server: TestServer) async throws -> Person {
    var client = RawClient(server)
    let reply = try await client.send(
      .POST, "/auth/v1/signup",
      [
        "email": .string("\(username)@example.org"), "password": .string(password),
        "data": ["username": .string(username), "display_name": .string(username.capitalized)],
      ])
    let session = try reply.decoded(AuthSession.self)
    client.token = session.accessToken
    return Person(client: client, session: session, username: username)
  }

  package func result<F: RemoteFunction>(of function: F, clientID: UUID? = nil) async throws
    -> F.Output
  {
    try await client.result(of: function, clientID: clientID)
  }

  package func result<F>(of call: FunctionCall<F>) async throws -> F.Output {
    try await client.result(of: call)
  }

  /// The machine word of a refusal; nil when the call succeeded.
  package func refusal<F: RemoteFunction>(of function: F, clientID: UUID? = nil) async throws
    -> String?
  {
    try await refusal(of: FunctionCall(function, clientID: clientID))
  }

  package func refusal<F>(of call: FunctionCall<F>) async throws -> String? {
    do {
      _ = try await client.result(of: call)
      return nil
    } catch let failure as FunctionFailure {
      return failure.hint ?? failure.code
    }
  }

  package func befriend(_ other: Person) async throws {
    _ = try await result(of: RequestFriend(userID: other.id))
    _ = try await other.result(of: RespondToFriendRequest(userID: id, accept: true))
  }
}
