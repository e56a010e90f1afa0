import Foundation
import Logging
import RallyWire

/// Why the server on this machine could not be used.
public enum EmbeddedServerError: Error, Hashable, Sendable {
  /// The folder for its socket belongs to somebody else, or others may enter it.
  case unsafeFolder(String)
  /// The program could not be started.
  case notStarted(String)
  /// It was started but did not answer in time; its log says why.
  case noAnswer(log: String)
  /// `rally serve` holds the data already and listens on an address.
  case servedElsewhere(url: String)

  public var sentence: String {
    switch self {
    case .unsafeFolder(let path): "The folder \(path) is not yours alone. Remove it and try again."
    case .notStarted(let reason): "The server on this machine did not start (\(reason))."
    case .noAnswer(let log): "The server on this machine did not answer. Its log is \(log)."
    case .servedElsewhere(let url):
      "A server uses this data already. Choose it with --server \(url), or stop it."
    }
  }
}
