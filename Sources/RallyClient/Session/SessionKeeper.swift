import FoundationEssentials
import Logging
import RallySystem
import RallyText
import RallyWire

/// Holds the session, refreshes its token, and reports when it ends.
///
/// Concurrent calls with an expired token share one refresh. Only the server's refusal ends the
/// session; a network failure never does.
package actor SessionKeeper {
  private let store: TokenStore?
  private let refresh: @Sendable (_ refreshToken: String) async throws -> AuthSession
  private let now: @Sendable () -> WireTime
  private var session: AuthSession?
  private var isRestored = false
  /// Why the present session is not kept for the next start; nil if it is.
  private(set) var unkept: FileError?
  private var refreshing: Task<AuthSession, any Error>?
  private let log = RallyLog.logger("Auth")

  nonisolated let events = EventSource<SessionEvent>()

  /// Tokens are refreshed this long before they expire.
  static let margin: Duration = .seconds(30)

  init(
    store: TokenStore?, now: @escaping @Sendable () -> WireTime = { .now },
    refresh: @escaping @Sendable (_ refreshToken: String) async throws -> AuthSession
  ) {
    self.store = store
    self.now = now
    self.refresh = refresh
  }

  /// The session, read from its file the first time.
  package func current() -> AuthSession? {
    if !isRestored {
      isRestored = true
      session = store?.load()
    }
    return session
  }

  /// A token that is valid for at least `margin`, refreshed if needed.
  ///
  /// - Throws: `NetworkError.signedOut`, or why the refresh failed.
  func token() async throws -> AccessToken {
    guard let session = current() else { throw NetworkError.signedOut }
    if isFresh(session) { return AccessToken(session) }
    do {
      return AccessToken(try await refreshed(session))
    } catch let error as NetworkError where error.isTransient && now() < session.expiry {
      return AccessToken(session)
    }
  }

  /// Another token than the one that the server just rejected.
  func token(insteadOf rejected: String) async throws -> AccessToken {
    guard let session = current() else { throw NetworkError.signedOut }
    if session.accessToken != rejected { return AccessToken(session) }
    return AccessToken(try await refreshed(session))
  }

  /// Takes the session of a sign-in.
  ///
  /// - Throws: `FileError` if it cannot be kept; it counts all the same as long as the program runs.
  func adopt(_ new: AuthSession) throws(FileError) {
    isRestored = true
    let isOther = session != nil && session?.user.id != new.user.id
    let adopted = dated(new)
    session = adopted
    defer { events.send(isOther ? .accountChanged(new.user.id) : .signedIn(new.user.id)) }
    unkept = nil
    do {
      try store?.save(adopted)
    } catch {
      unkept = error
      throw error
    }
  }

  /// Ends the session here, and returns it as the newest process of the profile has stored it, so
  /// that it can be ended on the server too.
  func surrender() -> AuthSession? {
    guard let session = current() else { return nil }
    let stored = store?.load().flatMap { $0.user.id == session.user.id ? $0 : nil }
    end(.signedOut)
    return stored ?? session
  }

  /// Whether a session's token is good for at least `margin`.
  func isFresh(_ session: AuthSession) -> Bool {
    now().advanced(by: Self.margin) < session.expiry
  }

  /// New tokens for a session that is not kept here any more.
  ///
  /// - Throws: Why the refresh failed.
  nonisolated func renew(_ session: AuthSession) async throws -> AuthSession {
    try await refresh(session.refreshToken)
  }

  /// Ends the session and notifies all listeners.
  func end(_ reason: SessionEvent.Reason) {
    _ = current()
    refreshing = nil
    guard session != nil else { return }
    session = nil
    unkept = nil
    do { try store?.erase() } catch { log.error("erase session — failed: \(error.logLabel)") }
    log.info("session ended — reason: \(reason)")
    events.send(.ended(reason))
  }

  // MARK: - Refresh

  private func refreshed(_ old: AuthSession) async throws -> AuthSession {
    if let refreshing { return try await refreshing.value }
    // Another process of the same profile may have refreshed the session already; the server would
    // treat a reused refresh token as stolen.
    if let stored = store?.load(), stored.refreshToken != old.refreshToken,
      stored.user.id == old.user.id, isFresh(stored)
    {
      session = stored
      events.send(.refreshed)
      return stored
    }
    let refreshToken = store?.load().flatMap { $0.user.id == old.user.id ? $0.refreshToken : nil }
    let refresh = self.refresh
    let task = Task { try await refresh(refreshToken ?? old.refreshToken) }
    refreshing = task
    log.info("refresh — started")
    do {
      let answer = try await task.value
      guard refreshing == task else { throw NetworkError.signedOut }
      refreshing = nil
      let new = dated(answer)
      session = new
      persist()
      log.info("refresh — expires in: \(answer.expiresIn) s")
      events.send(.refreshed)
      return new
    } catch {
      if refreshing == task { refreshing = nil }
      log.error("refresh — failed: \(type(of: error))")
      if case NetworkError.auth(let failure, _) = error, failure.code.endsSession {
        end(.refused(failure.code))
        throw NetworkError.signedOut
      }
      throw error
    }
  }

  /// The session with its expiry by this machine's clock, so that a wrong clock has no effect.
  private func dated(_ session: AuthSession) -> AuthSession {
    var dated = session
    dated.expiresAt = Int(now().microseconds / 1_000_000) + session.expiresIn
    return dated
  }

  private func persist() {
    guard let session else { return }
    do throws(FileError) {
      try store?.save(session)
      unkept = nil
    } catch {
      unkept = error
      log.error("save session — failed: \(error.logLabel)")
    }
  }
}

/// A bearer token and its expiry.
struct AccessToken: Hashable, Sendable {
  var text: String
  var expiry: WireTime

  init(_ session: AuthSession) {
    text = session.accessToken
    expiry = session.expiry
  }
}

extension AuthSession {
  /// When the access token expires.
  package var expiry: WireTime { WireTime(microseconds: Int64(expiresAt) * 1_000_000) }
}

/// A change of the session.
public enum SessionEvent: Hashable, Sendable {
  public enum Reason: Hashable, Sendable {
    case signedOut
    /// The server ended it.
    case refused(AuthFailureCode)
  }

  case ended(Reason)
  case signedIn(UUID)
  case accountChanged(UUID)
  /// The token was refreshed; only open connections need it.
  case refreshed
}

/// Stores the session of one profile on one server in a private file (0600 in 0700).
public struct TokenStore: Sendable {
  /// The session's file.
  public let path: String
  private let notices: StorageNotices?

  /// - Parameters:
  ///   - folder: The profile's state folder.
  ///   - server: Identifies the server, such as its URL or `embedded`.
  ///   - notices: Told of a file that cannot be used, which looks like none.
  public init(folder: String, server: String, notices: StorageNotices? = nil) {
    self.notices = notices
    path = "\(folder)/sessions/\(ServerName.fileName(for: server)).json"
  }

  /// The stored session; nil if there is none, or its file is damaged or cannot be read.
  public func load() -> AuthSession? {
    do {
      guard let data = try PrivateFiles.read(path) else { return nil }
      return try WireJSON.decode(AuthSession.self, from: data)
    } catch let error as FileError {
      notices?.post("\(error.sentence) It keeps your session: without it you have to sign in.")
    } catch {
      notices?.post("\(path) is damaged. It kept your session: you have to sign in again.")
    }
    return nil
  }

  /// - Throws: `FileError` when the file cannot be written.
  public func save(_ session: AuthSession) throws(FileError) {
    try PrivateFiles.makeFolder(path.parentPath)
    let data: Data
    do {
      data = try WireJSON.encode(session)
    } catch {
      throw FileError(path, error)
    }
    try PrivateFiles.write(data, to: path)
  }

  /// Deletes the stored session.
  ///
  /// - Throws: `FileError` if the file cannot be deleted.
  public func erase() throws(FileError) { try PrivateFiles.delete(path) }
}

/// Converts a server's name to a file name: a readable part, and a hash that makes it unique.
package enum ServerName {
  package static func fileName(for server: String) -> String {
    let readable = server.utf8.suffix(40).map { byte -> Character in
      byte.isASCIILowercase || byte.isASCIIDigit ? Character(UnicodeScalar(byte)) : "-"
    }
    return "\(String(readable))-\(hash(server))"
  }

  /// FNV-1a, 64 bits, as 16 hexadecimal digits: stable between runs, unlike `Hasher`.
  package static func hash(_ text: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 {
      hash ^= UInt64(byte)
      hash &*= 0x100_0000_01b3
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
