import Foundation
import RallyRules
import RallyServer

/// A certificate authority for one test, created with `openssl` in a folder that is removed with
/// it.
public final class TestAuthority: Sendable {
  private static let newKey = [
    "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
  ]

  public let folder: TemporaryFolder

  /// - Throws: `ProcessFailure` if `openssl` fails.
  public init() async throws {
    folder = try TemporaryFolder()
    try await openssl(
      ["req", "-x509"] + Self.newKey + [
        "-keyout", folder.file("ca.key"), "-out", path, "-days", "2", "-subj",
        "/CN=Rally test authority",
      ])
  }

  /// Path of the CA certificate, for `SSL_CERT_FILE`.
  public var path: String { folder.file("ca.pem") }

  /// Creates a key and a certificate for these names.
  ///
  /// - Parameters:
  ///   - names: Subject alternative names: `DNS:…` and `IP:…`.
  ///   - days: Validity from now; negative for an expired certificate.
  ///   - name: The file name; existing files are replaced.
  /// - Throws: `ProcessFailure` if `openssl` fails.
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
