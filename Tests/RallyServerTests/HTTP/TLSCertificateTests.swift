import Foundation
import RallyTestSupport
import Testing

@testable import RallyServer

@Suite struct TLSCertificateTests {
  @Test func `a key that others can read is refused with advice`() async throws {
    let files = try await TestAuthority().certificateAndKeeper()
    chmod(files.files.key, 0o600)
    _ = try TLSCertificate(files.files)
    for mode: mode_t in [0o604, 0o660, 0o644] {
      chmod(files.files.key, mode)
      let failure = #expect(throws: CertificateFailure.self) {
        _ = try TLSCertificate(files.files)
      }
      #expect(failure?.description.contains("run chmod 600") == true)
    }
  }

  @Test func `a missing key and one without a certificate are named`() async throws {
    let files = try await TestAuthority().certificateAndKeeper()
    let nowhere = CertificateFiles(certificate: files.files.certificate, key: "/nowhere/key.pem")
    let missing = #expect(throws: CertificateFailure.self) { _ = try TLSCertificate(nowhere) }
    #expect(
      missing?.description == "/nowhere/key.pem cannot be read: No such file or directory.")
    let half = CertificateFiles(certificate: "/nowhere/chain.pem", key: files.files.key)
    let chain = #expect(throws: CertificateFailure.self) { _ = try TLSCertificate(half) }
    #expect(chain?.description == "/nowhere/chain.pem cannot be read: No such file or directory.")
    let same = CertificateFiles(certificate: files.files.key, key: files.files.key)
    let wrong = #expect(throws: CertificateFailure.self) { _ = try TLSCertificate(same) }
    #expect(wrong?.description.contains("There is no certificate in") == true)
  }

  @Test func `what the system does not let be read is not taken for a bad key`() async throws {
    let files = try await TestAuthority().certificateAndKeeper()
    // A socket of the file system: not even root can open it.
    let path = "\(NSTemporaryDirectory())rally-key-\(UUID())"
    let socket = try DatagramInbox(path)
    chmod(path, 0o600)
    let refused = CertificateFiles(certificate: files.files.certificate, key: path)
    let failure = #expect(throws: CertificateFailure.self) { _ = try TLSCertificate(refused) }
    #expect(failure?.description == "\(path) cannot be read: No such device or address.")
    withExtendedLifetime(socket) {}
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
