import RallySystem

/// Why parts of a file on a web server cannot be had.
public enum RangeProblem: ReportableError, Hashable, Sendable {
  /// The server sends the whole file only.
  case ignored
  /// The server sent something else than what was asked for.
  case wrong
  /// The file is another one than at the first request.
  case changed
  /// There is no file, or it is not for everybody; the HTTP status.
  case missing(status: Int)
  /// The address leads elsewhere too often, or from https to http.
  case redirected

  /// What failed and what to do.
  public var sentence: String {
    switch self {
    case .ignored:
      "The server does not send parts of files. Download the whole file, then add it from there."
    case .wrong: "The server sent another part of the file than it was asked for."
    case .changed: "The file changed on the server in between."
    case .missing(let status): "The server has no such file for everybody (HTTP \(status))."
    case .redirected: "The address leads elsewhere, and not to a file that can be fetched safely."
    }
  }
}
