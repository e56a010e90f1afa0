import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import RallySystem
import RallyText
import RallyWire
import Synchronization

extension Transport {
  /// Real sockets: TCP, TLS and Unix. One thread serves them all, for the life of the process.
  public static let live = Transport(
    send: { try await LiveTransport.shared.send($0) },
    openSocket: { try await LiveTransport.shared.openSocket($0) })
}

final class LiveTransport: Sendable {
  static let shared = LiveTransport()

  let group: any EventLoopGroup
  /// For all encrypted connections.
  let tls: TLSConfiguration
  private let http: HTTPClient
  /// Servers that have answered plain http: their port is no port of TLS.
  private let plain = Mutex<Set<ServerURL>>([])

  init(tls: TLSConfiguration = TrustedAuthorities.configuration()) {
    self.tls = tls
    group =
      EventLoopExecutor.isInstalled
      ? MultiThreadedEventLoopGroup.singleton : MultiThreadedEventLoopGroup(numberOfThreads: 1)
    var configuration = HTTPClient.Configuration()
    configuration.redirectConfiguration = .disallow
    configuration.httpVersion = .http1Only
    configuration.timeout = .init(connect: .seconds(5))
    configuration.tlsConfiguration = tls
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 4
    http = HTTPClient(eventLoopGroup: group, configuration: configuration)
  }

  /// The longest response that is accepted, in bytes.
  private static let answerLimit = 8 << 20

  @concurrent func send(_ call: HTTPCall) async throws -> HTTPAnswer {
    var request = HTTPClientRequest(url: Self.url(of: call.endpoint, path: call.path))
    request.method = .init(rawValue: call.method.rawValue)
    request.headers.add(name: "Host", value: call.endpoint.host)
    for (name, value) in call.headers { request.headers.add(name: name, value: value) }
    if let body = call.body { request.body = .bytes(ByteBuffer(bytes: body)) }
    return try await Deadline.within(call.deadline) { [request] in
      do {
        let response = try await self.http.execute(request, timeout: TimeAmount(call.timeout))
        let status = Int(response.status.code)
        if case .url(let url) = call.endpoint, !url.isSecure {
          self.plain.withLock { _ = $0.insert(url) }
        }
        let isWanted = call.bodyStatus.map { $0 == status } ?? true
        let body =
          isWanted ? try await response.body.collect(upTo: Self.answerLimit) : ByteBuffer()
        var headers: [String: String] = [:]
        for (name, value) in response.headers { headers[name.lowercased()] = value }
        return HTTPAnswer(
          status: status, headers: headers, body: Data(body.readableBytesView))
      } catch {
        throw await self.named(error, at: call.endpoint)
      }
    }
  }

  /// Converts an error. After a refused handshake the certificate is fetched once more, to say what
  /// is wrong with it. The same is done after something else than http from a server that never
  /// answered, to say that it speaks https.
  func named(_ error: any Error, at endpoint: ServerEndpoint) async -> any Error {
    let cause = (error as? NIOConnectionError)?.connectionErrors.first?.error ?? error
    let named = Self.networkError(error)
    guard case .url(let url) = endpoint, !Task.isCancelled else { return named }
    if cause is NIOSSLError || cause is BoringSSLError || cause is NIOSSLExtraError {
      if let problem = await TrustProblem.find(at: url, after: cause, on: group) {
        return NetworkError.untrusted(problem)
      }
      if String(describing: cause).contains("WRONG_VERSION_NUMBER"), let other = url.otherScheme {
        return NetworkError.moved(to: other, isSameHost: true)
      }
    }
    switch named as? NetworkError {
    case .connectionLost, .notTheServer(nil):
      if !url.isSecure, !plain.withLock({ $0.contains(url) }), let other = url.otherScheme,
        await ServerCertificate.present(at: url, on: group) != nil
      {
        return NetworkError.moved(to: other, isSameHost: true)
      }
    default: break
    }
    return named
  }

  /// Closes all connections; not for the shared transport.
  func shutdown() async throws { try await http.shutdown() }

  private static func url(of endpoint: ServerEndpoint, path: String) -> String {
    switch endpoint {
    case .url(let url): "\(url)\(path)"
    case .unixSocket(let socket):
      "http+unix://\(socket.percentEncoded())\(path)"
    }
  }

  /// The error as a `NetworkError`; a `CancellationError` is returned as it is.
  static func networkError(_ error: any Error) -> any Error {
    switch error {
    case is CancellationError: return CancellationError()
    case let error as NetworkError: return error
    case let error as UpgradeRefusal: return error
    case let error as HTTPClientError: return networkError(error)
    case ChannelError.connectTimeout: return NetworkError.timedOut
    // The one for a state is NIO's word for an upgrade during which the connection was closed.
    case ChannelError.eof, ChannelError.ioOnClosedChannel, ChannelError.alreadyClosed,
      ChannelError.inputClosed, ChannelError.outputClosed,
      ChannelError.inappropriateOperationForState, HTTPParserError.invalidEOFState:
      return NetworkError.connectionLost
    case let error as NIOConnectionError:
      if let cause = error.connectionErrors.first?.error { return networkError(cause) }
      return NetworkError.unreachable("name lookup failed")
    case let error as IOError:
      switch error.errnoCode {
      case ECONNRESET, EPIPE: return NetworkError.connectionLost
      case ETIMEDOUT: return NetworkError.timedOut
      default:
        return NetworkError.unreachable(String(cString: strerror(error.errnoCode)).lowercased())
      }
    case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
      return NetworkError.unreachable("no trusted secure connection")
    case is SocketAddressError: return NetworkError.unreachable("name lookup failed")
    case is HTTPParserError: return NetworkError.notTheServer(status: nil)
    case is NIOTooManyBytesError: return NetworkError.invalidResponse
    default: return NetworkError.unreachable("the connection failed")
    }
  }

  private static func networkError(_ error: HTTPClientError) -> any Error {
    if error == .cancelled { return CancellationError() }
    let timeouts: [HTTPClientError] = [
      .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded,
      .getConnectionFromPoolTimeout,
    ]
    if timeouts.contains(error) { return NetworkError.timedOut }
    if error == .remoteConnectionClosed { return NetworkError.connectionLost }
    if error == .invalidURL || error == .emptyHost { return NetworkError.notConfigured }
    return NetworkError.unreachable("the connection failed")
  }
}

/// A connection that is being opened. Cancelling the task that waits for it closes its channels,
/// since a NIO future is not cancelled with the task.
package final class OpeningChannel: Sendable {
  private struct State {
    var channels: [any Channel] = []
    var isClosed = false
  }

  private let state = Mutex(State())

  package init() {}

  /// Waits for the work; closes the channels opened for it if the task is cancelled.
  package func wait<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
    try await withTaskCancellationHandler(operation: work, onCancel: close)
  }

  /// Call this in the initializer of each channel.
  package func add(_ channel: any Channel) {
    let isClosed = state.withLock { state in
      state.channels.append(channel)
      return state.isClosed
    }
    if isClosed { channel.close(promise: nil) }
  }

  private func close() {
    let channels = state.withLock { state in
      state.isClosed = true
      return state.channels
    }
    for channel in channels { channel.close(promise: nil) }
  }
}

/// A timeout for an async operation.
enum Deadline {
  /// Runs the work and cancels it after the limit.
  ///
  /// Returns only when the work has ended, so the work must react to cancellation.
  ///
  /// - Throws: `NetworkError.timedOut` after the limit; otherwise what the work throws.
  static func within<Value: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await work() }
      group.addTask {
        try await DispatchSleep.for(limit)
        throw NetworkError.timedOut
      }
      for try await value in group { return value }
      throw CancellationError()
    }
  }
}
