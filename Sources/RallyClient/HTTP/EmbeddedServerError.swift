import RallySystem

/// Why the server on this machine could not be used.
public enum EmbeddedServerError: ReportableError, Hashable, Sendable {
  /// The folder for its socket belongs to another user.
  case unsafeFolder(String)
  /// The program could not be started.
  case notStarted(String)
  /// It ended right after each start; `words` is its error, empty if it could not write any.
  case ended(words: String, log: String)
  /// It was started but did not respond in time; its log says why.
  case noAnswer(log: String)
  /// `rally serve` holds the data already and listens on an address.
  case servedElsewhere(url: String)

  public var sentence: String {
    switch self {
    case .unsafeFolder(let path): "The folder \(path) is not yours alone. Remove it and try again."
    case .notStarted(let reason): "The server on this machine did not start (\(reason))."
    case .ended("", let log):
      "The server on this machine ends at once. Look at its log, \(log), and at the disk's room."
    case .ended(let words, _): "The server on this machine did not start: \(words)"
    case .noAnswer(let log): "The server on this machine did not answer. Its log is \(log)."
    case .servedElsewhere(let url):
      "A server uses this data already. Choose it with --server \(url), or stop it."
    }
  }
}
