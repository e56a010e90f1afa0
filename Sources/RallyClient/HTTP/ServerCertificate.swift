import FoundationEssentials
import NIOCore
import NIOPosix
import NIOSSL

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
