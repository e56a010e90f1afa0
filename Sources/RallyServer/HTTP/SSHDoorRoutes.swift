import Foundation
import HTTPTypes
import Hummingbird
import RallyRules
import RallyWire

/// `/auth/v1/ssh`: for the SSH door of the server's host, and nobody else.
struct SSHDoorRoutes: Sendable {
  typealias Context = ServerRequestContext

  let door: SSHDoor
  let gateway: Gateway
  let budgets: BudgetKeeper

  func add(to router: Router<Context>) {
    let group = router.group("")
      .add(middleware: AuthErrorMiddleware())
      .add(middleware: GatewayMiddleware(gateway: gateway))
    group.post(RouterPath(SSHDoorPath.ticket), use: ticket)
    group.post(RouterPath(SSHDoorPath.session), use: session)
  }

  @Sendable private func ticket(_ request: Request, _ context: Context) async throws -> Response {
    let question = try await body(SSHTicketQuestion.self, from: request)
    guard let ticket = try await door.ticket(for: question) else {
      return Response(status: .noContent)
    }
    return try .json(ticket)
  }

  @Sendable private func session(_ request: Request, _ context: Context) async throws -> Response {
    let ticket = try await body(SSHTicket.self, from: request)
    return try .json(
      try await door.admission(for: ticket, issuer: AuthRoutes.issuer(of: request)))
  }

  private func body<T: Decodable>(_ type: T.Type, from request: Request) async throws -> T {
    guard case .token(let token) = gateway.bearer(request) else { throw AuthRefusal.noBearer }
    try door.requireDoor(token)
    return try await AuthRoutes.decode(type, from: request, within: budgets)
  }
}
