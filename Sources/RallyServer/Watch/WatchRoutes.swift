import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import RallyRules
import RallyStorage
import RallyWire

/// `/w`: the page of a link to watch, and what it asks for: the last sealed messages (`/w/ID`), or a
/// stream of them (`/w/ID/stream`, server-sent events). Nobody needs an account, and nothing is used up.
///
/// A page on the phone that feeds a link posts to `/w/ID`, and ends the link by `DELETE`, with the link's
/// secret as a bearer.
struct WatchRoutes: Sendable {
  typealias Context = ServerRequestContext

  /// Seconds after which a page tries again that found no room.
  private static let pause = 15

  let storage: Storage
  let limiter: RateLimiter
  let pages: WatchPages
  let functions: WatchFunctions
  var now: @Sendable () -> WireTime = { .now }

  func add(to router: Router<Context>) {
    let group = router.group(RouterPath(WatchRules.path)).add(middleware: FunctionErrorMiddleware())
    group.get { _, _ in WatchPageDocument.page.response }
    group.get(":link", use: state)
    group.get(":link/stream", use: stream)
    group.post(":link", use: feed)
    group.delete(":link", use: end)
  }

  @Sendable private func state(_ request: Request, _ context: Context) async throws -> Response {
    guard let link = try await admitted(context), let state = try await read(link) else {
      return try Self.unknown()
    }
    return try .json(state)
  }

  @Sendable private func feed(_ request: Request, _ context: Context) async throws -> Response {
    let sender = try await request.admitted { try await self.sender(request, context) }
    let body = try await request.body.collect(
      within: limiter.budgets, atMost: RequestBody.strangersLimit)
    guard let (link, secret) = sender else { return try Self.unknown() }
    let post: WatchPost
    do {
      post = try WireJSON.decode(WatchPost.self, from: Data(body.readableBytesView))
    } catch {
      throw FunctionFailure(.invalidArgument, "The body is a sealed place.")
    }
    do {
      return try .json(
        await storage.write { [functions] in
          try functions.feedLink(link, post.place, with: secret, in: $0)
        })
    } catch let failure as FunctionFailure where failure.reason == .notFound {
      return try Self.unknown()
    }
  }

  @Sendable private func end(_ request: Request, _ context: Context) async throws -> Response {
    guard let (link, secret) = try await sender(request, context) else { return try Self.unknown() }
    do {
      try await storage.write { [functions] in
        try functions.endLink(link, with: secret, in: $0)
      }
    } catch let failure as FunctionFailure where failure.reason == .notFound {
      return try Self.unknown()
    }
    return Response(status: .noContent)
  }

  /// The link of the address and the secret that came with it, once it is known that they belong
  /// together. A wrong one costs a read and never a place among the writes.
  private func sender(
    _ request: Request, _ context: Context
  ) async throws -> (link: WatchLinkID, secret: AccessSecret)? {
    guard let link = try await admitted(context), let secret = HeaderSecret.bearer(request),
      try await storage.read({ try WatchLinkRecords.find(link, in: $0)?.secretHash })
        == secret.digest
    else { return nil }
    try await limiter.replenishing {
      try limiter.take(.phonePostsPerMinute, of: secret.digest, share: 1)
    }
    return (link, secret)
  }

  @Sendable private func stream(_ request: Request, _ context: Context) async throws -> Response {
    guard let link = try await admitted(context), try await read(link) != nil else {
      return try Self.unknown()
    }
    var headers: HTTPFields = [.contentType: "text/event-stream"]
    headers[.accelBuffering] = "no"
    if request.method == .head { return Response(status: .ok, headers: headers) }
    guard let page = pages.open(link) else {
      return try .json(
        ["message": "Too many look at this link now."], status: .serviceUnavailable,
        headers: [.retryAfter: String(Self.pause)])
    }
    context.closed.whenComplete { [weak page] _ in page?.close() }
    // Read again, since it may have changed before the page was known.
    pages.take(try await read(link), of: link)
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { writer in
        defer { page.close() }
        var sent: WatchState?
        var current = page.current
        try await writer.write(Self.event(&sent, current))
        for await _ in page.signals where !current.isOver {
          current = page.current
          try await writer.write(Self.event(&sent, current))
          if current.isOver { break }
        }
        try await writer.finish(nil)
      })
  }

  /// What a page is sent next: what it does not have yet, or a comment.
  static func event(
    _ sent: inout WatchState?, _ current: (state: WatchState?, isOver: Bool)
  ) -> ByteBuffer {
    if current.isOver { return ByteBuffer(string: "event: end\ndata: \n\n") }
    guard let state = current.state, state != sent,
      let text = try? WireJSON.text(
        WatchState(place: state.place, ground: state.ground == sent?.ground ? nil : state.ground))
    else { return ByteBuffer(string: ":\n\n") }
    sent = state
    return ByteBuffer(string: "event: state\ndata: \(text)\n\n")
  }

  /// The link of the address, after the request was counted; nil for what names none.
  private func admitted(_ context: Context) async throws -> WatchLinkID? {
    if let delay = try await limiter.delay(.watch, address: context.clientAddress) {
      throw RateRefusal(delay: delay)
    }
    return context.parameters.get("link").flatMap { WatchLinkID($0) }
  }

  /// nil for a link that ended or never was.
  private func read(_ link: WatchLinkID) async throws -> WatchState? {
    let time = now()
    return try await storage.read { database in
      guard let found = try WatchLinkRecords.find(link, in: database), time < found.until else {
        return nil
      }
      return found.state
    }
  }

  private static func unknown() throws -> Response {
    try .json(["message": "This link is not open."], status: .notFound)
  }
}
