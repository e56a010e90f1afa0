import Foundation
import RallyServer

/// A certificate authority for one test, made with `openssl` in a folder that goes away with it.
public final class TestAuthority: Sendable {
  private static let newKey = [
    "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
  ]

  public let folder: TemporaryFolder

  public init() async throws {
    folder = try TemporaryFolder()
    try await openssl(
      ["req", "-x509"] + Self.newKey + [
        "-keyout", folder.file("ca.key"), "-out", path, "-days", "2", "-subj",
        "/CN=Rally test authority",
      ])
  }

  /// The authority's own certificate, as `SSL_CERT_FILE` takes it.
  public var path: String { folder.file("ca.pem") }

  /// Signs a new key for these names.
  ///
  /// - Parameters:
  ///   - names: `DNS:…` and `IP:…`.
  ///   - days: How long it is good from now; below zero it has ended.
  ///   - name: Of the files; the same name again replaces them.
  @discardableResult
  public func certificate(
    for names: [String] = ["DNS:localhost", "IP:127.0.0.1"], days: Int = 2, name: String = "leaf"
  ) async throws -> CertificateFiles {
    let files = CertificateFiles(
      certificate: folder.file("\(name).pem"), key: folder.file("\(name).key"))
    let (request, details) = (folder.file("\(name).csr"), folder.file("\(name).ext"))
    try Data("subjectAltName=\(names.joined(separator: ","))\n".utf8)
      .write(to: URL(filePath: details))
    try await openssl(
      ["req"] + Self.newKey + ["-keyout", files.key, "-out", request, "-subj", "/CN=\(name)"])
    try await openssl([
      "x509", "-req", "-in", request, "-CA", path, "-CAkey", folder.file("ca.key"),
      "-CAcreateserial", "-days", String(days), "-extfile", details, "-out", files.certificate,
    ])
    return files
  }

  private func openssl(_ arguments: [String]) async throws {
    let run = try await CommandRun.of(
      "/usr/bin/openssl", arguments, environment: folder.environment)
    guard run.succeeded else { throw ProcessFailure(run.description) }
  }
}
