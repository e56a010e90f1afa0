import FoundationEssentials
import NIOSSL

/// The certificate authorities that are trusted.
enum TrustedAuthorities {
  /// This machine's authorities, and those in the file named by `SSL_CERT_FILE`; a file without
  /// certificates is skipped.
  ///
  /// They are parsed for the first encrypted connection: all of a machine's take 1 MB.
  static func configuration(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> TLSConfiguration {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    if let path = environment["SSL_CERT_FILE"],
      let file = try? Data(contentsOf: URL(filePath: path)),
      file.contains("-----BEGIN".utf8)
    {
      configuration.additionalTrustRoots = [.file(path)]
    }
    return configuration
  }
}
