import Foundation
import HTTPTypes
import Hummingbird
import RallyWire

/// `/realtime/v1/api/broadcast`: broadcasts from clients without a socket.
struct BroadcastRoutes: Sendable {
  typealias Context = ServerRequestContext

  let hub: RealtimeHub
  let storage: Storage
  let gateway: Gateway
  let budgets: BudgetKeeper

  /// The body of a batch; unknown fields are ignored.
  private struct Batch: Decodable {
    struct Message: Decodable {
      var topic: String
      var event: String
      var payload: JSONValue
      var `private`: Bool?
    }

    var messages: [Message]
  }

  /// A refusal in the form that Realtime's fallback controller writes.
  struct Refusal: Error {
    var status: Int
    var message: String

    static let unauthorized = Refusal(status: 401, message: "Unauthorized: Sign in to broadcast")
    static let notJSON = Refusal(
      status: 422, message: "InvalidPayload: Send {\"messages\":[{topic, event, payload}]}")
    static let tooMany = Refusal(
      status: 429, message: "Too many messages to broadcast, please reduce the batch size")
    static let tooLarge = Refusal(status: 422, message: "Payload size exceeds tenant limit")
  }

  func add(to router: Router<Context>) {
    let api = router.group("realtime/v1/api/broadcast")
      .add(middleware: BroadcastErrorMiddleware())
      .add(middleware: GatewayMiddleware(gateway: gateway))
    api.post("", use: batch)
    api.post(":topic/events/:event", use: single)
  }

  @Sendable private func batch(_ request: Request, _ context: Context) async throws -> Response {
    let body = try await request.body.collect(within: budgets)
    let caller = try caller(request)
    guard let batch = try? WireJSON.decode(Batch.self, from: Data(body.readableBytesView)),
      !batch.messages.isEmpty, batch.messages.allSatisfy({ !$0.topic.isEmpty && !$0.event.isEmpty })
    else { throw Refusal.notJSON }
    return try await send(
      batch.messages.map { message in
        (
          BroadcastPush(
            topic: BroadcastRoutes.topic(message.topic), event: message.event,
            body: .json(message.payload)),
          message.private ?? false
        )
      }, caller: caller)
  }

  @Sendable private func single(_ request: Request, _ context: Context) async throws -> Response {
    let buffer = try await request.body.collect(within: budgets)
    let caller = try caller(request)
    let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased() ?? ""
    let body: BroadcastBody
    switch type {
    case "application/json":
      guard
        let value = try? WireJSON.decode(JSONValue.self, from: Data(buffer.readableBytesView))
      else { throw Refusal.notJSON }
      body = .json(value)
    case "application/octet-stream": body = .binary(Array(buffer.readableBytesView))
    default:
      throw Refusal(status: 415, message: "Use application/json or application/octet-stream")
    }
    let push = BroadcastPush(
      topic: BroadcastRoutes.topic(BroadcastRoutes.part("topic", context)),
      event: BroadcastRoutes.part("event", context), body: body)
    return try await send(
      [(push, request.uri.queryParameters["private"] == "true")], caller: caller)
  }

  /// A percent-decoded part of the path.
  private static func part(_ name: String, _ context: Context) -> String {
    let text = context.parameters.get(name) ?? ""
    return text.removingPercentEncoding ?? text
  }

  /// Adds the prefix `realtime:` unless it is there.
  private static func topic(_ text: String) -> String {
    text.hasPrefix(RealtimeTopic.prefix) ? text : RealtimeTopic.prefix + text
  }

  private func caller(_ request: Request) throws -> Caller {
    guard case .token(let token) = gateway.bearer(request) else { throw Refusal.unauthorized }
    do {
      guard let caller = Caller(try gateway.signer.verify(token)) else {
        throw Refusal.unauthorized
      }
      return caller
    } catch let problem as TokenProblem {
      throw Refusal(status: 401, message: RealtimeRefusal(problem).reason)
    }
  }

  /// Sends all or none.
  private func send(
    _ messages: [(push: BroadcastPush, isPrivate: Bool)], caller: Caller
  ) async throws -> Response {
    let topics: [TopicAccess]
    do {
      topics = try messages.map { message in
        try TopicAccess(topic: message.push.topic, isPrivate: message.isPrivate)
      }
    } catch let refusal as RealtimeRefusal {
      throw Refusal(status: 403, message: refusal.reason)
    }
    guard messages.allSatisfy({ (1...255).contains($0.push.event.utf8.count) }) else {
      throw Refusal(status: 422, message: "InvalidPayload: An event has at most 255 bytes")
    }
    let refusal = try await storage.read { database -> RealtimeRefusal? in
      guard try caller.status(in: database) == .active else { return .signedOut }
      return try topics.first { try !$0.admits(caller.userID, in: database) }
        .map { .noPermission($0.topic) }
    }
    if let refusal {
      throw Refusal(status: refusal == .signedOut ? 401 : 403, message: refusal.reason)
    }
    do throws(RealtimeHub.BroadcastProblem) {
      try await hub.broadcast(messages.map(\.push), from: caller.userID)
    } catch {
      throw error == .tooMany ? Refusal.tooMany : Refusal.tooLarge
    }
    return Response(status: .accepted)
  }
}

private struct BroadcastErrorMiddleware: RouterMiddleware {
  typealias Context = ServerRequestContext

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let refusal as BroadcastRoutes.Refusal {
      return try .json(["message": refusal.message], status: .init(code: refusal.status))
    }
  }
}
