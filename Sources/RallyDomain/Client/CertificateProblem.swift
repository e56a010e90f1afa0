import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// What is wrong with the certificate that a server shows.
public enum CertificateProblem: Hashable, Sendable {
  /// It was good until then.
  case ended(Date)
  /// It will be good from then on.
  case early(Date)
  /// It belongs to another name.
  case otherName
  /// Nobody whom this machine trusts has signed it.
  case unknownAuthority

  /// A few words for the status bar.
  var reason: String {
    switch self {
    case .ended: "certificate has ended"
    case .early: "certificate is not valid yet"
    case .otherName: "certificate of another name"
    case .unknownAuthority: "certificate not trusted"
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
    }
  }

  private static func day(_ date: Date) -> String {
    date.formatted(.iso8601.year().month().day())
  }
}

extension CertificateProblem {
  /// Asks a server that was refused for its certificate alone, to say why in words: the error of
  /// the refused handshake does not tell. Nothing is sent to that server.
  ///
  /// - Parameter error: What the handshake failed with.
  /// - Returns: nil when it shows no certificate any more.
  static func find(
    at url: ServerURL, after error: any Error, on group: any EventLoopGroup
  ) async -> CertificateProblem? {
    if error as? NIOSSLExtraError == .failedToValidateHostname { return .otherName }
    let shown = group.any().makePromise(of: NIOSSLCertificate?.self)
    let asking = Result {
      let context = try NIOSSLContext(configuration: .makeClientConfiguration())
      return ClientBootstrap(group: group).connectTimeout(.seconds(5)).channelInitializer {
        channel in
        channel.closeFuture.whenComplete { _ in shown.succeed(nil) }
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            NIOSSLClientHandler(
              context: context, serverHostname: url.serverName,
              customVerificationCallback: { chain, verdict in
                shown.succeed(chain.first)
                verdict.succeed(.failed)
              }))
        }
      }
    }
    do {
      let channel = try await asking.get().connect(host: url.host, port: url.port).get()
      defer { channel.close(promise: nil) }
      guard let leaf = try await shown.futureResult.get() else { return nil }
      let start = Date(timeIntervalSince1970: Double(leaf.notValidBefore))
      let end = Date(timeIntervalSince1970: Double(leaf.notValidAfter))
      if end <= .now { return .ended(end) }
      return start > .now ? .early(start) : .unknownAuthority
    } catch {
      shown.succeed(nil)
      return nil
    }
  }
}

extension ServerURL {
  /// For the server's choice of a certificate; addresses are not named there.
  var serverName: String? {
    (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil
  }
}
