import RallySystem
import RallyText
import RallyWire

/// Why a request to the server failed.
public enum NetworkError: ReportableError, Hashable, Sendable {
  /// No server has been chosen yet.
  case notConfigured
  /// The embedded server could not be used.
  case embedded(EmbeddedServerError)
  /// No response; the text says why, for the user (`Connection refused`).
  case unreachable(String)
  /// The server's TLS certificate is not trusted.
  case untrusted(TrustProblem)
  /// Plain http to this host would send passwords unencrypted over a public network.
  case plainText(host: String)
  /// The connection broke after the request may have arrived.
  case connectionLost
  case timedOut
  /// A function refused the call.
  case refused(FunctionFailure, status: Int)
  /// Sign-in, sign-up or a session refresh was refused.
  case auth(AuthFailure, status: Int)
  /// Too many requests; how long to wait, if the server says so.
  case rateLimited(retryAfter: Duration?)
  /// The server does not accept the API key.
  case invalidKey
  /// The call needs a session and there is none.
  case signedOut
  /// Something else on the way answered in place of the server, such as a proxy or a portal; nil
  /// for what is no HTTP. Whether the request arrived is unknown.
  case notTheServer(status: Int?)
  /// The server is reached under this address.
  case moved(to: ServerURL, isSameHost: Bool)
  /// A response of the server that the protocol does not define.
  case http(status: Int)
  case invalidResponse

  /// Whether the same request can succeed later.
  public var isTransient: Bool {
    switch self {
    case .unreachable, .untrusted, .connectionLost, .timedOut, .rateLimited, .embedded,
      .notTheServer, .moved:
      true
    case .http(let status), .refused(_, let status): status >= 500
    case .auth(let failure, let status): status >= 500 || failure.code == .conflict
    case .notConfigured, .plainText, .signedOut, .invalidKey, .invalidResponse: false
    }
  }

  /// Whether the server was not reached.
  public var isOffline: Bool {
    switch self {
    case .unreachable, .untrusted, .plainText, .connectionLost, .timedOut, .notTheServer, .moved:
      true
    default: false
    }
  }

  /// One sentence that says what failed and what to do.
  public var sentence: String {
    switch self {
    case .notConfigured: "No server is chosen. Choose one first."
    case .embedded(let error): error.sentence
    case .unreachable(let reason):
      "Server not reached (\(reason)). Check the network, then try again."
    case .untrusted(let problem): problem.sentence
    case .plainText(let host):
      "Without TLS anybody on the way to \(host) can read passwords. Use https, or start Rally with"
        + " --insecure."
    case .connectionLost: "The connection broke. Try again."
    case .timedOut: "The server did not answer in time. Try again."
    case .refused(let failure, _): TextLimits.line.shown(failure.message)
    case .auth(let failure, _): TextLimits.line.shown(failure.message)
    case .rateLimited(let wait):
      if let wait, wait >= .seconds(120) {
        "Too many requests. Try again in \((wait.components.seconds + 59) / 60) minutes."
      } else if let wait {
        "Too many requests. Try again in \(wait.components.seconds) s."
      } else {
        "Too many requests. Try again in a minute."
      }
    case .invalidKey: "The server does not accept this key. Check the value of --key."
    case .signedOut: "You are signed out. Sign in again."
    case .notTheServer(let status?):
      "Something else answered in place of the server (HTTP \(status)). Check the address, and"
        + " whether this network asks you to sign in."
    case .notTheServer(nil):
      "Something that is no Rally server answers at this address. Check the address."
    case .moved(let url, _) where !url.isSecure:
      "Only plain http is spoken there, which anybody on the way can read. If whoever runs the"
        + " server means that, use \(url)."
    case .moved(let url, true): "The server is at \(url). Use that address."
    case .moved(let url, false):
      "This address leads to \(url). If whoever runs the server says so, use that address."
    case .http(let status): "The server failed (HTTP \(status)). Try again later."
    case .invalidResponse:
      "The server answered something that Rally does not understand. Check its address."
    }
  }
}

extension Duration {
  /// The message while a change waits for the server's rate limit.
  public var waitSentence: String {
    "The server asks to wait; going on in \(max(1, components.seconds)) s."
  }
}

extension NetworkError {
  /// Without text of the server or of users.
  public var logDetail: String {
    switch self {
    case .notConfigured: "not configured"
    case .embedded(let error): "embedded server: \(error.logDetail)"
    case .unreachable(let reason): "unreachable (\(reason))"
    case .untrusted(let problem): "untrusted (\(problem.reason))"
    case .plainText: "plain text refused"
    case .connectionLost: "connection lost"
    case .timedOut: "timed out"
    case .refused(let failure, let status):
      "refused \(status) \(failure.code) \(failure.reason?.rawValue ?? "")"
    case .auth(let failure, let status): "auth \(status) \(failure.code.rawValue)"
    case .rateLimited: "rate limited"
    case .invalidKey: "invalid key"
    case .signedOut: "signed out"
    case .notTheServer(let status): "not the server \(status.map(String.init) ?? "no HTTP")"
    case .moved: "moved"
    case .http(let status): "http \(status)"
    case .invalidResponse: "invalid response"
    }
  }
}

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
