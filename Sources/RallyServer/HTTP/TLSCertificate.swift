import Foundation
import NIOSSL
import RallyRules
import Synchronization

/// The files of a server's certificate: PEM, the leaf first, and its private key.
public struct CertificateFiles: Hashable, Sendable {
  public var certificate: String
  public var key: String

  public init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }
}

/// Why a certificate or its key cannot be used, as a sentence for the operator.
public struct CertificateFailure: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String
}

/// The server's TLS certificate, read from files and reloaded on request.
///
/// Open connections keep the certificate that they began with.
final class TLSCertificate: Sendable {
  typealias Failure = CertificateFailure

  private let files: CertificateFiles
  private let context: Mutex<NIOSSLContext>

  /// - Throws: `Failure` for files that cannot be read or do not belong together.
  init(_ files: CertificateFiles) throws(Failure) {
    self.files = files
    context = Mutex(try TLSCertificate.context(of: files).context)
  }

  /// Reloads the files, for new connections.
  ///
  /// - Throws: `Failure`, also for a certificate that has ended; the former pair stays in use.
  func reload(at now: Date = .now) throws(Failure) {
    let (fresh, end) = try TLSCertificate.context(of: files)
    guard end > now else {
      throw Failure(
        description: "The certificate in \(files.certificate) ended on \(Self.day(end)).")
    }
    context.withLock { $0 = fresh }
  }

  /// The expiry date if it has passed, for a warning at the start.
  func ended(at now: Date = .now) -> String? {
    guard let leaf = try? NIOSSLCertificate.fromPEMFile(files.certificate).first else { return nil }
    let end = Date(timeIntervalSince1970: Double(leaf.notValidAfter))
    return end > now ? nil : Self.day(end)
  }

  /// For one new connection.
  func handler() -> NIOSSLServerHandler { NIOSSLServerHandler(context: context.withLock { $0 }) }

  // MARK: - Reading

  private static func context(
    of files: CertificateFiles
  ) throws(Failure) -> (context: NIOSSLContext, end: Date) {
    try requirePrivate(files.key)
    _ = try status(ofReadable: files.certificate)
    let chain: [NIOSSLCertificate]
    do {
      chain = try NIOSSLCertificate.fromPEMFile(files.certificate)
    } catch {
      throw Failure(description: "There is no certificate in \(files.certificate) (PEM is read).")
    }
    guard let leaf = chain.first else {
      throw Failure(description: "There is no certificate in \(files.certificate) (PEM is read).")
    }
    let key: NIOSSLPrivateKey
    do {
      key = try NIOSSLPrivateKey(file: files.key, format: .pem)
    } catch {
      throw Failure(
        description: "There is no private key in \(files.key) (PEM without a passphrase is read).")
    }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    do {
      return (
        try NIOSSLContext(configuration: configuration),
        Date(timeIntervalSince1970: Double(leaf.notValidAfter))
      )
    } catch {
      throw Failure(description: "The key in \(files.key) does not belong to \(files.certificate).")
    }
  }

  /// A key that other users can read is refused. Root's keys may be group-readable, as Debian does
  /// for `ssl-cert` and systemd for credentials.
  private static func requirePrivate(_ path: String) throws(Failure) {
    let status = try status(ofReadable: path)
    let allowed: mode_t = status.st_uid == 0 ? 0o640 | 0o100 : 0o700
    guard status.st_uid == 0 || status.st_uid == getuid() else {
      throw Failure(description: "The key \(path) belongs to somebody else.")
    }
    guard status.st_mode & 0o777 & ~allowed == 0 else {
      throw Failure(description: "Others can read or change the key \(path); run chmod 600 on it.")
    }
  }

  private static func status(ofReadable path: String) throws(Failure) -> stat {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      throw Failure(description: "\(path) cannot be read: \(String(cString: strerror(errno))).")
    }
    defer { close(file) }
    var status = stat()
    fstat(file, &status)
    return status
  }

  private static func day(_ date: Date) -> String { date.formatted(.iso8601.year().month().day()) }
}
