import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import RallyRules
import RallyStorage
import RallyWire

/// `/phone/…`: positions from apps on phones, one path per app, each with the answer that the app
/// needs. A phone is known by its credential alone; an API key is not asked for.
struct PhoneRoutes: Sendable {
  typealias Context = ServerRequestContext

  let inbox: PhoneInbox
  let friends: PhoneFriends
  let budgets: BudgetKeeper

  func add(to router: Router<Context>) {
    let group = router.group("").add(middleware: PhoneErrorMiddleware())
    group.post(RouterPath(PhoneApp.owntracks.path), use: ownTracks)
    group.post(RouterPath(PhoneApp.overland.path), use: overland)
    for method in [HTTPRequest.Method.get, .post] {
      group.on(RouterPath(PhoneApp.traccar.path), method: method, use: traccar)
      group.on(RouterPath(PhoneApp.gpslogger.path), method: method, use: gpsLogger)
    }
  }

  /// Always an array: the app keeps a message whose reply is anything else.
  @Sendable private func ownTracks(
    _ request: Request, _ context: Context
  ) async throws -> Response {
    let admitted = try await admit(HeaderSecret.basic(request), .owntracks, request, context)
    let post = try await inbox.parse(try await body(of: request), of: admitted) {
      OwnTracksPost.parse($0)
    }
    let phone = try await inbox.take(post, of: admitted)
    return try .json(post.wantsFriends ? try await friends.messages(for: phone) : [])
  }

  @Sendable private func overland(_ request: Request, _ context: Context) async throws -> Response {
    let phone = try await admit(HeaderSecret.bearer(request), .overland, request, context)
    let post = try await inbox.parse(try await body(of: request), of: phone) {
      OverlandPost.parse($0)
    }
    _ = try await inbox.take(post, of: phone)
    return try .json(["result": "ok"])
  }

  @Sendable private func traccar(_ request: Request, _ context: Context) async throws -> Response {
    try await takeNamed(request, context, for: .traccar) { body, query in
      if body.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "{") {
        let message = TraccarPost.parse(body)
        return (message.secret ?? query?.secret, message.post)
      }
      let form = query?.namesDevice == true ? query : PhoneQuery(text(body))
      return (form?.secret, form?.post(metresPerSecond: TraccarPost.knot) ?? .unreadable)
    }
  }

  /// GPSLogger's custom URL; its speed is in metres a second.
  @Sendable private func gpsLogger(
    _ request: Request, _ context: Context
  ) async throws -> Response {
    try await takeNamed(request, context, for: .gpslogger) { body, query in
      let form = query?.namesDevice == true ? query : PhoneQuery(text(body))
      return (form?.secret, form?.post(metresPerSecond: 1) ?? .unreadable)
    }
  }

  /// Takes the post of an app whose credential stands in the query, or within the body. Then the
  /// body has to be short, since it is read before its sender is known.
  private func takeNamed(
    _ request: Request, _ context: Context, for app: PhoneApp,
    _ parse: @escaping @Sendable (Data, PhoneQuery?) -> (secret: AccessSecret?, post: PhonePost)
  ) async throws -> Response {
    let query = PhoneQuery(request.uri.query)
    if let secret = query?.secret {
      let phone = try await admit(secret, app, request, context)
      let post = try await inbox.parse(try await body(of: request), of: phone) {
        parse($0, query).post
      }
      _ = try await inbox.take(post, of: phone)
    } else {
      let said = parse(try await body(of: request, atMost: RequestBody.strangersLimit), query)
      let phone = try await inbox.admit(said.secret, for: app, from: context.clientAddress)
      _ = try await inbox.take(said.post, of: phone)
    }
    return Response(status: .ok)
  }

  /// Asks whose a credential is; of what came with one that nobody has nothing is kept.
  private func admit(
    _ secret: AccessSecret?, _ app: PhoneApp, _ request: Request, _ context: Context
  ) async throws -> StoredPhone {
    try await request.admitted {
      try await inbox.admit(secret, for: app, from: context.clientAddress)
    }
  }

  private func body(of request: Request, atMost limit: Int = .max) async throws -> Data {
    Data(try await request.body.collect(within: budgets, atMost: limit).readableBytesView)
  }

  private func text(_ body: Data) -> String? { String(validating: body, as: UTF8.self) }
}

extension PhonePost {
  fileprivate static let unreadable = PhonePost(problem: "The app sent something that is no text.")
}

/// Refuses under `/phone/` with what an app acts on: 401 for nothing but a bad credential, 413, and
/// 429 or 503 with `Retry-After` for what passes.
private struct PhoneErrorMiddleware: ErrorMiddleware {
  /// Seconds after which a phone tries again when the server cannot store anything.
  private static let pause = 30

  func response(
    to error: any Error, of request: Request, _ context: ServerRequestContext
  ) throws -> Response {
    switch error {
    case is PhoneInbox.Unknown:
      let isBasic = request.uri.path.hasPrefix(PhoneApp.owntracks.path)
      return try response(
        .unauthorized, "No phone has this credential. It may have been revoked.",
        [.wwwAuthenticate: isBasic ? "Basic realm=\"Rally\"" : "Bearer"])
    case let refusal as RateRefusal:
      return try response(
        .tooManyRequests, "This phone sends too much at once.",
        [.retryAfter: String(refusal.delay)])
    case is NIOTooManyBytesError:
      return try response(.contentTooLarge, "The request body is too large.")
    case let error as any HTTPResponseError: throw error
    default:
      context.logger.error("phone: \(error)")
      return try response(
        .serviceUnavailable,
        (error as? StorageFailure)?.refusal?.message
          ?? "Something went wrong here; nothing was stored.",
        [.retryAfter: String(PhoneErrorMiddleware.pause)])
    }
  }

  private func response(
    _ status: HTTPResponse.Status, _ sentence: String, _ headers: HTTPFields = [:]
  ) throws -> Response {
    // Overland shows what stands under `error`.
    try .json(["error": sentence], status: status, headers: headers)
  }
}
