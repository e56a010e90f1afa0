import Foundation
import NIOSSL

/// Whose signature makes a server's certificate good.
enum TrustedAuthorities {
  /// This machine's authorities, and those in the file that `SSL_CERT_FILE` names; one that cannot
  /// be read adds nothing.
  static func configuration(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> TLSConfiguration {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    if let path = environment["SSL_CERT_FILE"], !path.isEmpty,
      let authorities = try? NIOSSLCertificate.fromPEMFile(path)
    {
      configuration.additionalTrustRoots = [.certificates(authorities)]
    }
    return configuration
  }
}
