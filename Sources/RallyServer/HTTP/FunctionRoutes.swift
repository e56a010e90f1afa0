import Foundation
import HTTPTypes
import Hummingbird
import RallyWire

/// `/rest/v1/rpc`: calls functions by name and answers as PostgREST does.
struct FunctionRoutes: Sendable {
  typealias Context = ServerRequestContext

  static let bodyLimit = 1 << 20
  /// PostgREST's tolerance for clocks that differ.
  static let clockSkew: Int64 = 30

  let functions: FunctionTable
  let storage: Storage
  let gateway: Gateway

  func add(to router: Router<Context>) {
    let rest = router.group("rest/v1")
      .add(middleware: FunctionErrorMiddleware())
      .add(middleware: GatewayMiddleware(gateway: gateway))
    rest.post("rpc/:name", use: call)
    rest.get("rpc/:name", use: read)
    rest.head("rpc/:name", use: read)
    for method in [HTTPRequest.Method.put, .patch, .delete] {
      rest.on("rpc/:name", method: method) { _, _ -> Response in
        throw FunctionFailure(
          code: "PGRST101", message: "Only GET, HEAD, and POST verbs are allowed on RPC")
      }
    }
    rest.get(":table", use: noTable)
    rest.post(":table", use: noTable)
  }

  @Sendable private func call(_ request: Request, _ context: Context) async throws -> Response {
    let caller = try caller(request)
    try requirePublicSchema(request)
    for name in request.uri.queryParameters.map(\.key) where name != "apikey" {
      throw FunctionFailure(
        code: "PGRST100", message: "“\(name)” is not offered on functions",
        details: "Use the arguments p_limit and p_offset.")
    }
    let body = try await request.body.collect(upTo: FunctionRoutes.bodyLimit)
    let data = body.readableBytes == 0 ? Data("{}".utf8) : Data(body.readableBytesView)
    let function = try function(context, arguments: data)
    return try await answer(function, data, caller)
  }

  @Sendable private func read(_ request: Request, _ context: Context) async throws -> Response {
    let caller = try caller(request)
    try requirePublicSchema(request)
    let items = request.uri.queryParameters.filter { $0.key != "apikey" }
      .map { (name: String($0.key), value: String($0.value)) }
    let data = try FunctionArguments.json(fromQuery: items)
    let function = try function(context, arguments: data)
    guard function.isReadOnly else {
      throw FunctionFailure(
        code: "25006", message: "cannot execute \(function.name) in a read-only transaction")
    }
    let response = try await answer(function, data, caller)
    return request.method == .head ? response.createHeadResponse() : response
  }

  @Sendable private func noTable(_ request: Request, _ context: Context) async throws -> Response {
    let table = context.parameters.get("table") ?? ""
    throw FunctionFailure(
      code: "PGRST205",
      message: "Could not find the table 'public.\(table)' in the schema cache")
  }

  private func function(
    _ context: Context, arguments: Data
  ) throws -> FunctionTable.Entry {
    let name = context.parameters.get("name") ?? ""
    if let entry = functions[name] { return entry }
    throw FunctionFailure.unknown(name, arguments: try FunctionArguments.names(in: arguments))
  }

  private func answer(
    _ function: FunctionTable.Entry, _ arguments: Data, _ caller: Caller?
  ) async throws -> Response {
    guard let caller else {
      throw FunctionErrorMiddleware.Anonymous(function: function.name)
    }
    switch try await function.call(arguments, caller, storage) {
    case .void: return Response(status: .noContent, headers: [.contentRange: "*/*"])
    case .json(let data):
      return .json(
        data, type: "application/json; charset=utf-8",
        headers: [.contentRange: FunctionRoutes.range(of: data)])
    }
  }

  /// `0-4/*` for five rows, `*/*` for none, `0-0/*` for a single value.
  private static func range(of data: Data) -> String {
    guard case .array(let rows)? = try? WireJSON.decode(JSONValue.self, from: data) else {
      return "0-0/*"
    }
    return rows.isEmpty ? "*/*" : "0-\(rows.count - 1)/*"
  }

  /// nil for the role `anon`.
  private func caller(_ request: Request) throws -> Caller? {
    guard case .token(let token) = gateway.bearer(request) else { return nil }
    do {
      return Caller(try gateway.signer.verify(token, skew: FunctionRoutes.clockSkew))
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
      request.method == .post ? .contentProfile : .acceptProfile
    guard let schema = request.headers[name], schema != "public" else { return }
    throw FunctionFailure(
      code: "PGRST106", message: "Invalid schema: \(schema)",
      hint: "Only the following schemas are exposed: public")
  }
}
