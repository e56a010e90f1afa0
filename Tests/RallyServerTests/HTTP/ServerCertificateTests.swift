import Foundation
import RallyTestSupport
import Testing

@testable import RallyServer

@Suite struct ServerCertificateTests {
  @Test func `a key that others can read is refused with advice`() async throws {
    let files = try await TestAuthority().certificateAndKeeper()
    chmod(files.files.key, 0o600)
    _ = try ServerCertificate(files.files)
    for mode: mode_t in [0o604, 0o660, 0o644] {
      chmod(files.files.key, mode)
      let failure = #expect(throws: CertificateFailure.self) {
        _ = try ServerCertificate(files.files)
      }
      #expect(failure?.description.contains("run chmod 600") == true)
    }
  }

  @Test func `a missing key and one without a certificate are named`() async throws {
    let files = try await TestAuthority().certificateAndKeeper()
    let nowhere = CertificateFiles(certificate: files.files.certificate, key: "/nowhere/key.pem")
    let missing = #expect(throws: CertificateFailure.self) { _ = try ServerCertificate(nowhere) }
    #expect(
      missing?.description == "/nowhere/key.pem cannot be read: No such file or directory.")
    let same = CertificateFiles(certificate: files.files.key, key: files.files.key)
    let wrong = #expect(throws: CertificateFailure.self) { _ = try ServerCertificate(same) }
    #expect(wrong?.description.contains("There is no certificate in") == true)
  }

  @Test func `only this machine's own addresses are no public ones`() {
    for host in ["localhost", "127.0.0.1", "127.8.9.1", "::1", "[::1]"] {
      #expect(ListenAddress.isLoopback(host), "\(host)")
    }
    for host in ["0.0.0.0", "::", "192.168.0.1", "rally.example.org", "2001:db8::1", ""] {
      #expect(!ListenAddress.isLoopback(host), "\(host)")
    }
  }
}

extension TestAuthority {
  /// A pair, and the authority whose folder it lies in.
  fileprivate func certificateAndKeeper() async throws -> (
    files: CertificateFiles, keeper: TestAuthority
  ) {
    (try await certificate(), self)
  }
}
