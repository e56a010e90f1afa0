import FoundationEssentials
import NIOCore
import NIOSSL
import RallySystem
import RallyWire

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
