import Foundation
import RallyRules
import RallyServer

/// A data folder of its own that ends with the test, and servers on it.
package final class ServedFolder: Sendable {
  package let path = NSTemporaryDirectory() + "rally-folder-" + UUID().uuidString

  package init() {}

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Runs a server on the folder for as long as `body` takes.
  package nonisolated(nonsending) func serve<T>(
    configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (TestServer) async throws -> T
  ) async throws -> T {
    try await TestServer.with(
      configure: { configuration in
        configuration.database = .folder(path)
        configure(&configuration)
      }, body)
  }

  /// Works on the accounts beside a server or without one.
  package nonisolated(nonsending) func administer<T>(
    _ body: (AccountAdministration) async throws -> T
  ) async throws -> T {
    let administration = try await AccountAdministration(.folder(path), passwordCost: .cheap)
    defer { try? administration.close() }
    return try await body(administration)
  }

  package func permissions(of file: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
  }
}
