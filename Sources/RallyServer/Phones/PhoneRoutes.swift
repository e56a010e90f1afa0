import Foundation
import HTTPTypes
import Hummingbird
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
    let post = OwnTracksPost.parse(try await body(of: request))
    let phone = try await inbox.take(
      post, with: PhoneCredential.basic(request), for: .owntracks)
    return try .json(post.wantsFriends ? try await friends.messages(for: phone) : [])
  }

  @Sendable private func overland(
    _ request: Request, _ context: Context
  ) async throws -> Response {
    let post = OverlandPost.parse(try await body(of: request))
    _ = try await inbox.take(post, with: PhoneCredential.bearer(request), for: .overland)
    return try .json(["result": "ok"])
  }

  @Sendable private func traccar(_ request: Request, _ context: Context) async throws -> Response {
    let body = try await body(of: request)
    let query = PhoneQuery(request.uri.query)
    let secret: AccessSecret?
    let post: PhonePost
    if body.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "{") {
      let message = TraccarPost.parse(body)
      (secret, post) = (message.secret ?? query?.secret, message.post)
    } else {
      let form = query?.namesDevice == true ? query : PhoneQuery(text(body))
      (secret, post) = (form?.secret, form?.post(metresPerSecond: TraccarPost.knot) ?? .unreadable)
    }
    _ = try await inbox.take(post, with: secret, for: .traccar)
    return Response(status: .ok)
  }

  /// GPSLogger's custom URL; its speed is in metres a second.
  @Sendable private func gpsLogger(
    _ request: Request, _ context: Context
  ) async throws -> Response {
    let body = try await body(of: request)
    let query = PhoneQuery(request.uri.query)
    let form = query?.namesDevice == true ? query : PhoneQuery(text(body))
    _ = try await inbox.take(
      form?.post(metresPerSecond: 1) ?? .unreadable, with: form?.secret, for: .gpslogger)
    return Response(status: .ok)
  }

  private func body(of request: Request) async throws -> Data {
    Data(try await request.body.collect(within: budgets).readableBytesView)
  }

  private func text(_ body: Data) -> String? { String(validating: body, as: UTF8.self) }
}

extension PhonePost {
  fileprivate static let unreadable = PhonePost(problem: "The app sent something that is no text.")
}
