import Foundation
import Hummingbird
import Logging
import NIOPosix
import RallyWire

/// Offers an archive of streets to everybody with the API key: the whole file or a part of it. It is
/// read for each request, so that it can be replaced while the server runs.
struct StreetsRoute: Sendable {
  let file: String
  let gateway: Gateway

  func add(to router: Router<ServerRequestContext>) {
    let path = StreetsOffer.path as NSString
    router.group(RouterPath(path.deletingLastPathComponent))
      .add(middleware: GatewayMiddleware(gateway: gateway))
      .add(middleware: FileMiddleware(fileProvider: OneFile(path: file)))
      .get(RouterPath(path.lastPathComponent)) { _, _ -> Response in throw HTTPError(.notFound) }
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
