import FoundationEssentials
import NIOCore
import NIOPosix
import NIOSSL
import RallySystem
import RallyWire

/// The certificate that a server presents, before anybody verifies it.
struct ServerCertificate: Sendable {
  var version: TLSVersion?
  var leaf: NIOSSLCertificate

  /// What a server presents at this address, whose scheme is passed over; nil for nothing.
  static func present(at url: ServerURL, on group: any EventLoopGroup) async -> ServerCertificate? {
    let opening = OpeningChannel()
    return try? await opening.wait { try await fetch(at: url, on: group, opening) }
  }

  /// Starts a handshake of any version, and cancels it once the server has sent its certificate.
  private static func fetch(
    at url: ServerURL, on group: any EventLoopGroup, _ opening: OpeningChannel
  ) async throws -> ServerCertificate? {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv1
    let context = try NIOSSLContext(configuration: configuration)
    let shown = group.any().makePromise(of: ServerCertificate?.self)
    let bootstrap = ClientBootstrap(group: group).connectTimeout(.seconds(5)).channelInitializer {
      channel in
      opening.add(channel)
      channel.closeFuture.whenComplete { _ in shown.succeed(nil) }
      return channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandler(
          NIOSSLClientHandler(
            context: context, serverHostname: url.serverName,
            customVerificationCallback: { chain, verdict in
              let version = try? channel.pipeline.syncOperations.nioSSL_tlsVersion()
              shown.succeed(chain.first.map { ServerCertificate(version: version, leaf: $0) })
              verdict.succeed(.failed)
            }))
      }
    }
    do {
      let channel = try await bootstrap.connect(host: url.host, port: url.port).get()
      defer { channel.close(promise: nil) }
      return try await shown.futureResult.get()
    } catch {
      shown.succeed(nil)
      throw error
    }
  }
}

extension ServerURL {
  /// Lets the server select a certificate (SNI); not for IP addresses.
  var serverName: String? {
    (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil
  }
}

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

/// Why a server's TLS certificate is not trusted.
public enum TrustProblem: Hashable, Sendable {
  /// The certificate has expired at this time.
  case ended(Date)
  /// The certificate is not valid before this time.
  case early(Date)
  /// The certificate is for another host name.
  case otherName
  /// The certificate is not signed by a trusted authority.
  case unknownAuthority
  /// The server supports no newer version of TLS than this one, such as `TLS 1.1`.
  case oldVersion(String)

  /// A short text for the status bar.
  var reason: String {
    switch self {
    case .ended: "certificate has ended"
    case .early: "certificate is not valid yet"
    case .otherName: "certificate of another name"
    case .unknownAuthority: "certificate not trusted"
    case .oldVersion(let version): "only \(version)"
    }
  }

  /// What failed and what to do about it.
  var sentence: String {
    switch self {
    case .ended(let end):
      "The server's certificate ended on \(Self.day(end)). Whoever runs the server must renew it."
    case .early(let start):
      "The server's certificate is good from \(Self.day(start)) on. Check this machine's clock."
    case .otherName:
      "The server's certificate is for another name. Check the address."
    case .unknownAuthority:
      "The server's certificate is signed by nobody this machine trusts. Check the address, or"
        + " name your own authority's certificate in SSL_CERT_FILE."
    case .oldVersion(let version):
      "The server offers only \(version); at least TLS 1.2 is needed. Whoever runs the server must"
        + " update it."
    }
  }

  private static func day(_ date: Date) -> String {
    String(WireTime(date).description.prefix(10))
  }
}

extension TrustProblem {
  /// Looks at the certificate of a refused server, since the handshake's error does not say what is
  /// wrong with it. No data is sent to that server.
  ///
  /// - Parameter error: The error of the handshake.
  /// - Returns: nil if the server presents no certificate any more.
  static func find(
    at url: ServerURL, after error: any Error, on group: any EventLoopGroup
  ) async -> TrustProblem? {
    if error as? NIOSSLExtraError == .failedToValidateHostname { return .otherName }
    return await ServerCertificate.present(at: url, on: group).map { TrustProblem($0) }
  }

  private init(_ certificate: ServerCertificate) {
    switch certificate.version {
    case .tlsv1: self = .oldVersion("TLS 1.0")
    case .tlsv11: self = .oldVersion("TLS 1.1")
    default:
      let start = Date(timeIntervalSince1970: Double(certificate.leaf.notValidBefore))
      let end = Date(timeIntervalSince1970: Double(certificate.leaf.notValidAfter))
      self = end <= .now ? .ended(end) : start > .now ? .early(start) : .unknownAuthority
    }
  }
}
