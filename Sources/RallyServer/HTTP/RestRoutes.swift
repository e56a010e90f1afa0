import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import RallyRules
import RallyStorage
import RallyText
import RallyWire

/// `/rest/v1`: calls functions by name, reads tables, and answers as PostgREST does.
struct RestRoutes: Sendable {
  typealias Context = ServerRequestContext

  /// Seconds of clock skew that PostgREST tolerates.
  static let clockSkew: Int64 = 30

  let functions: FunctionTable
  let tables = TableReader()
  let storage: Storage
  let gateway: Gateway
  let budgets: BudgetKeeper
  let limits: RateLimitMiddleware

  func add(to router: Router<Context>) {
    let rest = router.group("rest/v1")
      .add(middleware: FunctionErrorMiddleware())
      .add(middleware: GatewayMiddleware(gateway: gateway))
      .add(middleware: limits)
    rest.post("rpc/:name", use: call)
    rest.get("rpc/:name", use: read)
    for method in [HTTPRequest.Method.put, .patch, .delete] {
      rest.on("rpc/:name", method: method) { _, _ -> Response in
        throw FunctionFailure(
          code: "PGRST101", message: "Only GET, HEAD, and POST verbs are allowed on RPC")
      }
    }
    rest.get(":table", use: rows)
    for method in [HTTPRequest.Method.post, .put, .patch, .delete] {
      rest.on(":table", method: method, use: refuseWrite)
    }
  }

  // MARK: - Functions

  @Sendable private func call(_ request: Request, _ context: Context) async throws -> Response {
    let caller = try await request.admitted { try Self.caller(context) }
    var body = ByteBuffer()
    if caller == nil {
      try await request.body.discard()
    } else {
      body = try await request.body.collect(within: budgets)
    }
    try requirePublicSchema(request)
    let data = body.readableBytes == 0 ? Data("{}".utf8) : Data(body.readableBytesView)
    let function = try function(context, arguments: data)
    return try await answer(function, data, QueryItem.all(in: request.uri.query), request, caller)
  }

  @Sendable private func read(_ request: Request, _ context: Context) async throws -> Response {
    let caller = try Self.caller(context)
    try requirePublicSchema(request)
    let items = try QueryItem.all(in: request.uri.query)
    let known = functions[context.parameters.get("name") ?? ""]
    let queried = items.filter {
      known?.parameters.contains($0.name) != true && RowQuery.claims($0, of: known?.relation)
    }
    let data = try FunctionArguments.json(fromQuery: items.filter { !queried.contains($0) })
    let function = try function(context, arguments: data)
    guard function.isReadOnly else {
      throw FunctionFailure(
        code: "25006", message: "cannot execute \(function.name) in a read-only transaction")
    }
    return try await answer(function, data, queried, request, caller)
  }

  private func function(_ context: Context, arguments: Data) throws -> FunctionTable.Entry {
    let name = context.parameters.get("name") ?? ""
    if let entry = functions[name] { return entry }
    throw FunctionFailure.unknown(
      name,
      arguments: arguments.count > ReadGate.shortBody
        ? [] : try FunctionArguments.names(in: arguments))
  }

  /// Parses the query before the call, so that an invalid one has no effect.
  private func answer(
    _ function: FunctionTable.Entry, _ arguments: Data, _ items: [QueryItem], _ request: Request,
    _ caller: Caller?
  ) async throws -> Response {
    guard let caller else {
      throw FunctionErrorMiddleware.Anonymous(object: "function \(function.name)")
    }
    let query = try function.query(items)
    try requireShortPatterns(query)
    let answer = RowAnswer(
      query: query, preferences: try Preferences(request.headers), budgets: budgets)
    guard let value = try await function.call(arguments, caller, storage) else {
      return answer.responseToNothing()
    }
    switch function.result {
    case .rows(let relation):
      let rows = (value.array ?? []).map { relation.completed($0.object ?? [:]) }
      return try answer.response(to: rows)
    case .row(let relation):
      return answer.response(toOne: relation.completed(value.object ?? [:]))
    case .requested where !answer.preferences.wantsRepresentation:
      return answer.responseToNothing()
    case .value, .requested: return answer.response(toValue: value)
    }
  }

  // MARK: - Tables

  @Sendable private func rows(_ request: Request, _ context: Context) async throws -> Response {
    let caller = try Self.caller(context)
    try requirePublicSchema(request)
    let table = try table(context)
    guard let caller else {
      throw FunctionErrorMiddleware.Anonymous(object: "table \(table.rawValue)")
    }
    let query = try RowQuery(try QueryItem.all(in: request.uri.query), on: table.relation)
    let answer = RowAnswer(
      query: query, preferences: try Preferences(request.headers), budgets: budgets,
      bound: TableReader.pageLimit)
    try requireShortPatterns(query)
    let rows = try await functions.reads.read(for: caller, from: storage) { [tables] database in
      try tables.rows(of: table, for: query, reach: answer.reach, caller: caller, in: database)
    }
    return try answer.response(to: rows)
  }

  /// Tables are read-only; changes are made by functions.
  @Sendable private func refuseWrite(
    _ request: Request, _ context: Context
  ) async throws -> Response {
    let caller = try Self.caller(context)
    try await request.body.discard()
    let object = "table \(try table(context).rawValue)"
    guard caller != nil else { throw FunctionErrorMiddleware.Anonymous(object: object) }
    throw FunctionFailure(
      code: FunctionFailure.forbidden, message: "permission denied for \(object)")
  }

  private func table(_ context: Context) throws -> ReadableTable {
    let name = context.parameters.get("table") ?? ""
    guard let table = ReadableTable(rawValue: name) else {
      throw FunctionFailure.unknownTable(name)
    }
    return table
  }

  // MARK: - Shared

  /// Long patterns are refused, since a truncated one would match other rows.
  private func requireShortPatterns(_ query: RowQuery) throws {
    guard budgets.allows(.searchCharacters, of: query.filter.longestPattern) else {
      throw FunctionFailure(
        .invalidArgument, "A pattern has at most \(budgets[.searchCharacters]) characters.")
    }
  }

  /// nil for the role `anon`.
  private static func caller(_ context: Context) throws -> Caller? {
    do throws(TokenProblem) {
      return try context.claims.get().flatMap(Caller.init)
    } catch {
      throw switch error {
      case .expired: FunctionFailure(code: FunctionFailure.tokenExpired, message: "JWT expired")
      case .badSignature:
        FunctionFailure(
          code: FunctionFailure.badToken,
          message: "No suitable key or wrong key type",
          details: "None of the keys was able to decode the JWT")
      case .malformed:
        FunctionFailure(
          code: FunctionFailure.badToken, message: "Expected 3 parts in JWT",
          details: "The token cannot be decoded")
      }
    }
  }

  private func requirePublicSchema(_ request: Request) throws {
    let name: HTTPField.Name =
      [.get, .head].contains(request.method) ? .acceptProfile : .contentProfile
    guard let schema = request.headers[name], schema != "public" else { return }
    throw FunctionFailure(
      code: "PGRST106", message: "Invalid schema: \(schema)",
      hint: "Only the following schemas are exposed: public")
  }
}

extension FunctionTable.Entry {
  /// The columns that a query can name; nil for a single value.
  fileprivate var relation: RowRelation? {
    switch result {
    case .rows(let relation), .row(let relation): relation
    case .value, .requested: nil
    }
  }

  /// - Throws: `PGRST100`, also for parameters that do not apply to this function's result.
  fileprivate func query(_ items: [QueryItem]) throws -> RowQuery {
    guard !items.isEmpty else { return .none }
    guard let relation else {
      throw FunctionFailure(
        code: FunctionFailure.badQuery, message: "“\(items[0].name)” is not offered on \(name)",
        details: "It does not give rows.")
    }
    let query = try RowQuery(items, on: relation)
    if case .row = result, query.narrows {
      throw FunctionFailure(
        code: FunctionFailure.badQuery, message: "Only “select” is offered on \(name)",
        details: "It gives exactly one row.")
    }
    return query
  }
}

/// Writes refusals of `/rest/v1` with PostgREST's four keys, status and headers.
struct FunctionErrorMiddleware: ErrorMiddleware {
  /// The role `anon` asked for something that needs a person.
  struct Anonymous: Error {
    /// `function f` or `table t`.
    var object: String
  }

  func response(
    to error: any Error, of request: Request, _ context: ServerRequestContext
  ) throws -> Response {
    switch error {
    case let failure as FunctionFailure:
      return try FunctionErrorMiddleware.response(failure, status: failure.status)
    case let refusal as RateRefusal:
      return try FunctionErrorMiddleware.response(
        refusal.failure, status: refusal.failure.status,
        headers: [.retryAfter: String(refusal.delay)])
    case let anonymous as Anonymous:
      return try FunctionErrorMiddleware.response(
        FunctionFailure(
          code: FunctionFailure.forbidden,
          message: "permission denied for \(anonymous.object)"),
        status: 401)
    case let error as HTTPError:
      return try FunctionErrorMiddleware.response(
        FunctionFailure(code: "PGRST000", message: error.body ?? error.status.reasonPhrase),
        status: error.status.code)
    case is NIOTooManyBytesError:
      return try FunctionErrorMiddleware.tooLarge("The request body is too large.")
    case is FunctionArguments.TooManyValues:
      return try FunctionErrorMiddleware.tooLarge(
        "The request body has more than \(WireJSON.mostValues) values.")
    default:
      context.logger.error("rest: \(error)")
      let refusal = (error as? StorageFailure)?.refusal
      return try FunctionErrorMiddleware.response(
        FunctionFailure(
          code: refusal?.code ?? "XX000",
          message: refusal?.message ?? "Something went wrong here; try again."),
        status: refusal?.status ?? 500)
    }
  }

  private static func tooLarge(_ message: String) throws -> Response {
    try response(FunctionFailure(code: "PGRST000", message: message), status: 413)
  }

  static func response(
    _ failure: FunctionFailure, status: Int, headers: HTTPFields = [:]
  ) throws -> Response {
    var headers = headers
    headers[.proxyStatus] = "PostgREST; error=\(failure.code)"
    if status == 401 {
      headers[.wwwAuthenticate] =
        failure.code == FunctionFailure.forbidden
        ? "Bearer" : "Bearer error=\"invalid_token\", error_description=\"\(failure.message)\""
    }
    return .json(
      try WireJSON.encode(failure), status: .init(code: status),
      type: "application/json; charset=utf-8", headers: headers)
  }
}

extension RowAnswer {
  /// - Parameter rows: All rows that the reader may see.
  /// - Throws: As `page(of:)`.
  func response(to rows: [JSONRow]) throws -> Response {
    let page = try page(of: rows)
    return json(
      page.data, status: page.isPartial ? .partialContent : .ok,
      headers: headers(page.range, of: page.total))
  }

  func response(toOne row: JSONRow) -> Response { response(toValue: .object(shaped(row))) }

  func response(toValue value: JSONValue) -> Response {
    json(Data(JSONWriter.bytes(of: value)), headers: headers("0-0", of: 1))
  }

  func responseToNothing() -> Response {
    Response(status: .noContent, headers: headers("*", of: 0))
  }

  /// `Content-Range` and `Preference-Applied`.
  private func headers(_ range: String, of total: Int) -> HTTPFields {
    var headers: HTTPFields = [
      .contentRange: "\(range)/\(preferences.counts ? String(total) : "*")"
    ]
    if !preferences.applied.isEmpty {
      headers[.preferenceApplied] = preferences.applied.joined(separator: ", ")
    }
    return headers
  }

  private func json(
    _ data: Data, status: HTTPResponse.Status = .ok, headers: HTTPFields
  ) -> Response {
    let type = preferences.isSingle ? "vnd.pgrst.object+json" : "json"
    return .json(data, status: status, type: "application/\(type); charset=utf-8", headers: headers)
  }
}
