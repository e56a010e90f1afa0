import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import RallyRules
import RallyServer

/// A web server on this machine with one file at every address. It sends the parts that are
/// requested, or misbehaves in one of the ways that servers do.
public final class RangeServer: Sendable {
  /// How it answers; the first that applies counts.
  public struct Behaviour: Sendable {
    /// Answers with this status and nothing else.
    public var status: Int?
    /// With such an answer, how long to wait.
    public var retryAfter: String?
    /// What is at `builds.json`, in place of the file.
    public var builds: String?
    /// Files that are not there, once so many bytes of bodies were sent.
    public var deleted: [String: Int] = [:]
    /// Sends the client to another address.
    public var redirect: String?
    /// Sends the whole file.
    public var ignoresRanges = false
    /// Sends the part that begins so many bytes later, and says so.
    public var shift = 0
    public var etag: String? = "\"1\""
    /// Closes the connection after so many bytes of bodies.
    public var cut = Int.max
    /// Says nothing more after so many bytes of bodies, and leaves the connection open.
    public var silence = Int.max

    public init() {}
  }

  private struct State: Sendable {
    var content: [UInt8]
    var behaviour = Behaviour()
    var sent = 0
    var requests = 0
    var asked: [String] = []
  }

  private let channel: any Channel
  private let state: Watched<State>
  private let scheme: String

  public var url: String {
    "\(scheme)://127.0.0.1:\(channel.localAddress?.port ?? 0)/files/city.pmtiles"
  }
  /// Where a list of builds is, once it has one; each build is the file.
  public var buildsURL: String { url.replacing("city.pmtiles", with: "builds.json") }
  /// The names of the files that were asked for so far, each time.
  public var asked: [String] { state.value.asked }
  /// Bytes of bodies so far.
  public var sent: Int { state.value.sent }
  public var requests: Int { state.value.requests }

  /// Changes how it behaves, or the file, and counts anew.
  public func change(
    content: [UInt8]? = nil, _ behave: (inout Behaviour) -> Void = { _ in }
  ) {
    var behaviour = Behaviour()
    behave(&behaviour)
    state.change { [behaviour] state in
      state.content = content ?? state.content
      state.behaviour = behaviour
      (state.sent, state.requests, state.asked) = (0, 0, [])
    }
  }

  /// Waits until this many bytes of bodies were sent; false if they never are.
  public func hasSent(_ count: Int) async -> Bool {
    await state.first(within: PtySession.patience) { $0.sent >= count } != nil
  }

  /// - Parameter certificate: Serves https with it; nil for http.
  public nonisolated(nonsending) static func with(
    _ content: [UInt8], certificate: CertificateFiles? = nil,
    _ body: (RangeServer) async throws -> Void
  ) async throws {
    let server = try await RangeServer(content, certificate)
    do {
      try await body(server)
    } catch {
      try await server.channel.close()
      throw error
    }
    try await server.channel.close()
  }

  private init(_ content: [UInt8], _ certificate: CertificateFiles?) async throws {
    let state = Watched(State(content: content))
    let context = try certificate.map { files in
      try NIOSSLContext(
        configuration: .makeServerConfiguration(
          certificateChain: NIOSSLCertificate.fromPEMFile(files.certificate)
            .map { .certificate($0) },
          privateKey: .privateKey(NIOSSLPrivateKey(file: files.key, format: .pem))))
    }
    self.state = state
    scheme = context == nil ? "http" : "https"
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
          try pipeline.configureHTTPServerPipeline()
          try pipeline.addHandler(Answerer(state))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  private final class Answerer: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let state: Watched<State>

    init(_ state: Watched<State>) { self.state = state }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard case .head(let head) = unwrapInboundIn(data) else { return }
      let name = String(head.uri.split(separator: "/").last ?? "")
      state.change {
        $0.requests += 1
        $0.asked.append(name)
      }
      let (content, behaviour) = (state.value.content, state.value.behaviour)
      var headers = HTTPHeaders()
      if let retryAfter = behaviour.retryAfter {
        headers.add(name: "Retry-After", value: retryAfter)
      }
      if name == "builds.json", let builds = behaviour.builds {
        return answer(context, .ok, headers, Array(builds.utf8)[...])
      }
      if let limit = behaviour.deleted[name], state.value.sent >= limit {
        return answer(context, .notFound, headers, [])
      }
      if let etag = behaviour.etag { headers.add(name: "ETag", value: etag) }
      if let status = behaviour.status {
        return answer(context, .init(statusCode: status), headers, [])
      }
      if let redirect = behaviour.redirect {
        headers.add(name: "Location", value: redirect)
        return answer(context, .found, headers, [])
      }
      let range = Self.range(head.headers.first(name: "Range"), behaviour.shift)
      guard let range, !behaviour.ignoresRanges else {
        return answer(context, .ok, headers, content[...])
      }
      guard range.upperBound <= content.count else {
        return answer(context, .rangeNotSatisfiable, headers, [])
      }
      headers.add(
        name: "Content-Range",
        value: "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)")
      answer(context, .partialContent, headers, content[range])
    }

    /// The range of `bytes=0-99`.
    private static func range(_ text: String?, _ shift: Int) -> Range<Int>? {
      let parts = (text ?? "").dropFirst("bytes=".count).split(separator: "-").compactMap {
        Int($0)
      }
      guard parts.count == 2, parts[0] <= parts[1] else { return nil }
      return parts[0] + shift..<parts[1] + 1 + shift
    }

    private func answer(
      _ context: ChannelHandlerContext, _ status: HTTPResponseStatus, _ headers: HTTPHeaders,
      _ body: ArraySlice<UInt8>
    ) {
      var headers = headers
      headers.add(name: "Content-Length", value: "\(body.count)")
      let behaviour = state.value.behaviour
      let room = min(behaviour.cut, behaviour.silence) - state.value.sent
      let part = body.prefix(max(room, 0))
      context.write(
        wrapOutboundOut(.head(.init(version: .http1_1, status: status, headers: headers))),
        promise: nil)
      context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(.init(bytes: part)))), promise: nil)
      state.change { $0.sent += part.count }
      guard part.count == body.count else {
        if behaviour.cut < behaviour.silence { context.close(promise: nil) }
        return
      }
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
}
