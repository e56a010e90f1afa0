import FoundationEssentials
import NIOSSL

/// The certificate authorities that are trusted.
enum TrustedAuthorities {
  /// This machine's authorities, and those in the file named by `SSL_CERT_FILE`; unreadable ones
  /// are skipped.
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
