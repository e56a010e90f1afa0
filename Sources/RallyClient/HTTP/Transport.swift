import FoundationEssentials
import RallySystem

/// The functions below the client that send requests and open sockets.
///
/// Production uses `.live`; tests wrap it to fail a call or to hold an answer.
public struct Transport: Sendable {
  /// - Throws: `NetworkError.unreachable`, `.connectionLost` or `.timedOut`.
  public var send: @Sendable (HTTPCall) async throws -> HTTPAnswer
  /// - Throws: `NetworkError`, or `UpgradeRefusal`.
  public var openSocket: @Sendable (SocketCall) async throws -> SocketLink

  public init(
    send: @escaping @Sendable (HTTPCall) async throws -> HTTPAnswer,
    openSocket: @escaping @Sendable (SocketCall) async throws -> SocketLink
  ) {
    self.send = send
    self.openSocket = openSocket
  }

  /// The same with one more header in each request and handshake.
  public func adding(header name: String, _ value: String) -> Transport {
    Transport(
      send: { [send] call in
        var call = call
        call.headers.append((name, value))
        return try await send(call)
      },
      openSocket: { [openSocket] call in
        var call = call
        call.headers.append((name, value))
        return try await openSocket(call)
      })
  }
}

public struct HTTPCall: Sendable {
  public enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
  }

  public var endpoint: ServerEndpoint
  public var method: Method
  /// Path and query below the endpoint, starting with a slash.
  public var path: String
  public var headers: [(name: String, value: String)]
  public var body: Data?
  /// The only status whose body is read; nil for any. Another response ends with its headers.
  public var bodyStatus: Int?
  /// How long connecting, sending and the response's headers may take.
  public var timeout: Duration
  /// How long the whole call may take, including the response's body.
  public var deadline: Duration { timeout * 4 }

  public init(
    endpoint: ServerEndpoint, method: Method, path: String,
    headers: [(name: String, value: String)] = [], body: Data? = nil,
    timeout: Duration = .seconds(15)
  ) {
    self.endpoint = endpoint
    self.method = method
    self.path = path
    self.headers = headers
    self.body = body
    self.timeout = timeout
  }
}

public struct HTTPAnswer: Sendable {
  public var status: Int
  /// Names in lower case.
  public var headers: [String: String]
  public var body: Data

  public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

public struct SocketCall: Sendable {
  public var endpoint: ServerEndpoint
  /// Path and query below the endpoint, starting with a slash.
  public var path: String
  /// In addition to those of every handshake.
  public var headers: [(name: String, value: String)] = []
  /// How long it may take until the socket is open.
  public var timeout: Duration

  public init(endpoint: ServerEndpoint, path: String, timeout: Duration = .seconds(15)) {
    self.endpoint = endpoint
    self.path = path
    self.timeout = timeout
  }
}

/// An open WebSocket that carries text.
public struct SocketLink: Sendable {
  /// Whole text messages in order; ends when the socket is closed.
  public var incoming: AsyncStream<String>
  /// Queues a message; the order of calls is the order on the wire. Does nothing once closed.
  public var send: @Sendable (String) -> Void
  public var close: @Sendable () -> Void
  /// The answer to the handshake, without a body.
  public var answer: HTTPAnswer

  public init(
    answer: HTTPAnswer, incoming: AsyncStream<String>,
    send: @escaping @Sendable (String) -> Void, close: @escaping @Sendable () -> Void
  ) {
    self.answer = answer
    self.incoming = incoming
    self.send = send
    self.close = close
  }
}

/// Another answer than 101 to the handshake of a WebSocket.
public struct UpgradeRefusal: ReportableError {
  public var answer: HTTPAnswer

  public var sentence: String {
    "The server does not open a live connection (HTTP \(answer.status))."
  }
  public var logDetail: String { "upgrade refused \(answer.status)" }

  public init(answer: HTTPAnswer) { self.answer = answer }
}
