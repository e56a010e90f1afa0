import Foundation
import NIOCore
import RallyRules

/// Why a server cannot listen, as a sentence for the operator.
public struct ListenFailure: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Reason: Hashable, Sendable {
    /// Another program listens there.
    case taken
    /// The address does not belong to this machine.
    case foreign
    /// The name cannot be resolved.
    case unknown
    /// Permission denied, as for ports below 1024.
    case forbidden
    case other(String)
  }

  public var listener: ServerConfiguration.Listener
  public var reason: Reason

  public var description: String {
    switch reason {
    case .taken: "Another program listens on \(place)."
    case .foreign: "\(place) is no address of this machine."
    case .unknown: "There is no address for the name in \(place)."
    case .forbidden: "The system does not allow to listen on \(place)."
    case .other(let words): "Nobody can listen on \(place): \(words)."
    }
  }

  private var place: String {
    switch listener {
    case .tcp(let host, let port): "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    case .unixSocket(let path): path
    case .inherited(let descriptor): "socket \(descriptor)"
    }
  }

  /// The `ListenFailure` for a listener's error; other errors are returned unchanged.
  static func explained(
    _ error: any Error, on listener: ServerConfiguration.Listener
  ) -> any Error {
    switch error {
    case let error as IOError:
      ListenFailure(listener: listener, reason: Reason(system: error.errnoCode))
    case is SocketAddressError.UnknownHost: ListenFailure(listener: listener, reason: .unknown)
    default: error
    }
  }
}

extension ListenFailure.Reason {
  fileprivate init(system code: Int32) {
    self =
      switch code {
      case EADDRINUSE: .taken
      case EADDRNOTAVAIL: .foreign
      case EACCES: .forbidden
      default: .other(String(cString: strerror(code)))
      }
  }
}

/// Properties of a listening address.
public enum ListenAddress {
  /// Whether only this machine can reach it: `localhost`, `127.0.0.0/8` or `::1`.
  ///
  /// Other names are not resolved, since their address can change.
  public static func isLoopback(_ host: String) -> Bool {
    host == "localhost"
      || ClientAddress(host.trimmingPrefix("[").prefix { $0 != "]" })?.isLoopback == true
  }

  /// Whether this is an address and not a name.
  public static func isLiteral(_ text: String) -> Bool { ClientAddress(text) != nil }
}
