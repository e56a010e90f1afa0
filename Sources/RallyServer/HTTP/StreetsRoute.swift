import Foundation
import Hummingbird
import Logging
import NIOPosix
import RallyRules
import RallyStorage
import RallyWire

/// Offers an archive of streets to whoever is signed in: the whole file or a part of it. It is read for
/// each request, so that it can be replaced while the server runs.
struct StreetsRoute: Sendable {
  let file: String
  let gateway: Gateway
  let storage: Storage

  func add(to router: Router<ServerRequestContext>) {
    let path = StreetsOffer.path as NSString
    router.group(RouterPath(path.deletingLastPathComponent))
      .add(middleware: GatewayMiddleware(gateway: gateway))
      .add(middleware: PersonMiddleware(storage: storage))
      .add(middleware: FileMiddleware(fileProvider: OneFile(path: file)))
      .get(RouterPath(path.lastPathComponent)) { _, _ -> Response in throw HTTPError(.notFound) }
  }
}

/// Lets requests pass of somebody who is signed in.
private struct PersonMiddleware: RouterMiddleware {
  typealias Context = ServerRequestContext

  let storage: Storage

  func handle(
    _ request: Request, context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard try await isPerson(context) else {
      return try .json(["message": "Sign in to take the streets."], status: .unauthorized)
    }
    return try await next(request, context)
  }

  private func isPerson(_ context: Context) async throws -> Bool {
    guard let caller = (try? context.claims.get()).flatMap(Caller.init) else { return false }
    return try await storage.read { try caller.status(in: $0) == .active }
  }
}

/// The same file for every path.
private struct OneFile: FileProvider {
  private let path: String
  private let files = LocalFileSystem(
    rootFolder: "/", threadPool: .singleton,
    logger: Logger(label: "streets") { _ in SwiftLogNoOpLogHandler() })

  init(path: String) { self.path = path }

  func getFileIdentifier(_ path: String) -> String? { self.path }

  func getAttributes(id: String) async throws -> LocalFileSystem.FileAttributes? {
    try await files.getAttributes(id: id)
  }

  func loadFile(id: String, context: some RequestContext) async throws -> ResponseBody {
    try await files.loadFile(id: id, context: context)
  }

  func loadFile(
    id: String, range: ClosedRange<Int>, context: some RequestContext
  ) async throws -> ResponseBody {
    try await files.loadFile(id: id, range: range, context: context)
  }
}
