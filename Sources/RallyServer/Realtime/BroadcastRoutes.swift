import Foundation
import HTTPTypes
import Hummingbird
import RallyRules
import RallyStorage
import RallyText
import RallyWire

/// `/realtime/v1/api/broadcast`: broadcasts from clients without a socket.
struct BroadcastRoutes: Sendable {
  typealias Context = ServerRequestContext

  let hub: RealtimeHub
  let storage: Storage
  let gateway: Gateway
  let budgets: BudgetKeeper
  let reads: ReadGate

  /// A refusal in the form that Realtime's fallback controller writes.
  struct Refusal: Error {
    var status: Int
    var message: String

    static let unauthorized = Refusal(status: 401, message: "Unauthorized: Sign in to broadcast")
    static let signedOut = Refusal(status: 401, message: RealtimeRefusal.signedOut.reason)
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
    let (caller, body) = try await content(of: request, context)
    let messages = try await parse(body, of: caller) {
      value -> [(push: BroadcastPush, isPrivate: Bool)]? in
      guard let messages = value["messages"]?.array, !messages.isEmpty else { return nil }
      let read = messages.compactMap(BroadcastRoutes.message)
      return read.count == messages.count ? read : nil
    }
    return try await send(messages, caller: caller)
  }

  /// A message of a batch; unknown fields are ignored.
  private static func message(_ value: JSONValue) -> (push: BroadcastPush, isPrivate: Bool)? {
    guard let topic = value["topic"]?.string, !topic.isEmpty,
      let event = value["event"]?.string, !event.isEmpty, let payload = value["payload"]
    else { return nil }
    let push = BroadcastPush(
      topic: BroadcastRoutes.topic(topic), event: event, body: .json(payload))
    switch value["private"] {
    case nil, .null?: return (push, false)
    case .bool(let isPrivate)?: return (push, isPrivate)
    default: return nil
    }
  }

  @Sendable private func single(_ request: Request, _ context: Context) async throws -> Response {
    let (caller, content) = try await content(of: request, context)
    let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased() ?? ""
    let body: BroadcastBody
    switch type {
    case "application/json":
      body = .json(try await parse(content, of: caller) { $0 })
    case "application/octet-stream": body = .binary(Array(content))
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

  private func content(of request: Request, _ context: Context) async throws -> (Caller, Data) {
    let caller = try await request.admitted { try Self.caller(context) }
    return (caller, Data(try await request.body.collect(within: budgets).readableBytesView))
  }

  /// - Throws: `Refusal` for what is no JSON, or none of that shape, and where the session is over.
  private func parse<T: Sendable>(
    _ body: Data, of caller: Caller, _ read: @escaping @Sendable (JSONValue) -> T?
  ) async throws -> T {
    try await reads.parse(body, of: caller, from: storage) { database in
      guard try caller.status(in: database) == .active else { throw Refusal.signedOut }
    } _: { body in
      guard let value = try? WireJSON.value(of: body), let content = read(value) else {
        throw Refusal.notJSON
      }
      return content
    }
  }

  private static func caller(_ context: Context) throws -> Caller {
    do {
      guard let caller = try context.currentClaims().flatMap(Caller.init) else {
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

private struct BroadcastErrorMiddleware: ErrorMiddleware {
  func response(
    to error: any Error, of request: Request, _ context: ServerRequestContext
  ) throws -> Response {
    switch error {
    case let refusal as BroadcastRoutes.Refusal:
      return try .json(["message": refusal.message], status: .init(code: refusal.status))
    case let refusal as RateRefusal:
      return try .json(
        ["message": BroadcastRoutes.Refusal.tooMany.message], status: .tooManyRequests,
        headers: [.retryAfter: String(refusal.delay)])
    default: throw error
    }
  }
}
