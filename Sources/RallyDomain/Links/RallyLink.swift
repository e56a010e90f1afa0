import FoundationEssentials
import Glibc
import RallyClient
import RallySystem
import RallyText
import RallyWire

/// A `rally://` link that another program hands over. It is an invitation, to friendship or to a
/// mission, with the server that it is from; or a mission, as a calendar names it.
public struct RallyLink: Hashable, Sendable {
  /// Why a text is not opened.
  public enum Problem: ReportableError, Hashable, Sendable {
    case tooLong
    case controlCharacters
    case noLink
    /// The scheme, as it was given.
    case otherScheme(String)
    /// What follows `rally://`.
    case unknownKind(String)
    case invalid(FieldProblem)

    public var sentence: String {
      switch self {
      case .tooLong: "The link has more than \(RallyLink.longest) bytes."
      case .controlCharacters: "The link has characters that no link has."
      case .noLink: "This is no link; Rally opens rally://invite/… and rally://mission/…"
      case .otherScheme(let scheme):
        "Rally opens rally: links; this is one of \(scheme.cleanedForDisplay.prefix(20)):"
      case .unknownKind(let kind):
        "Rally opens rally://invite/… and rally://mission/… links; this is one of \(kind.cleanedForDisplay.prefix(20))."
      case .invalid(let problem): problem.advice
      }
    }
  }

  /// Bytes.
  public static let longest = 2048

  public enum Target: Hashable, Sendable {
    case invitation(InvitationLink)
    case mission(MissionLink)
  }

  public let target: Target

  public var invitation: InvitationLink? {
    if case .invitation(let link) = target { link } else { nil }
  }

  /// - Throws: `Problem`, for everything but a link that can be opened.
  public init(_ text: String) throws(Problem) {
    guard text.utf8.count <= Self.longest else { throw .tooLong }
    // All of a link is ASCII without blanks: RFC 3986.
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .controlCharacters }
    if let mission = MissionLink(text) {
      target = .mission(mission)
      return
    }
    guard InvitationLink.isLink(text) else {
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw .noLink }
      guard parts[0].lowercased() == "rally" else { throw .otherScheme(String(parts[0])) }
      throw .unknownKind(String(parts[1].drop { $0 == "/" }.prefix { $0 != "/" && $0 != "?" }))
    }
    do throws(FieldProblem) {
      target = .invitation(try InvitationLink(text))
    } catch {
      throw .invalid(error)
    }
  }

  /// As the program that opens it reads it; what it does not understand is left out.
  public var text: String {
    switch target {
    case .invitation(let link): link.description
    case .mission(let link): link.description
    }
  }
}

/// The socket on which the acting client of a profile takes links: `open LINK` on a line, answered
/// by `ok`. Nobody but its owner reaches it (0600 in a folder of 0700), and a link only opens the
/// sheet that asks.
public struct ClientSocket: Sendable {
  /// Bytes; more is no request.
  static let longest = 4096
  /// How long the other end may take to send its line.
  private static let patience = timeval(tv_sec: 1, tv_usec: 0)

  private let folder: String
  /// Short enough for a socket's address (107 bytes).
  public let path: String

  public init(folders: RallyFolders) {
    folder = folders.runtime
    path = "\(folder)/client-\(ServerName.hash(folders.profileState)).sock"
  }

  // MARK: - The client that listens

  /// Links that other processes send, until this process ends. Only the acting client may call it,
  /// since it takes the place of whoever listened before.
  ///
  /// - Throws: `FileError` or `POSIXError` if nobody can listen there.
  public func links() throws -> AsyncStream<String> {
    try PrivateFiles.makeFolder(folder)
    unlink(path)
    let listener = try connected { descriptor, address, length in
      bind(descriptor, address, length) == 0 ? listen(descriptor, 8) : -1
    }
    chmod(path, 0o600)
    let (stream, continuation) = AsyncStream.makeStream(
      of: String.self, bufferingPolicy: .bufferingOldest(8))
    // Blocked in the kernel between two links.
    BackgroundThread.start("rally.links") {
      while true {
        let connection = accept(listener, nil, nil)
        if connection < 0 {
          if errno == EINTR || errno == ECONNABORTED { continue }
          break
        }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        if let link = Self.answer(connection) { continuation.yield(link) }
        close(connection)
      }
      close(listener)
      continuation.finish()
    }
    return stream
  }

  /// Takes one request.
  ///
  /// - Returns: The link to open; nil for anything else.
  private static func answer(_ connection: Int32) -> String? {
    guard let line = line(from: connection), line.hasPrefix("open ") else {
      send("refused\n", to: connection)
      return nil
    }
    send("ok\n", to: connection)
    return String(line.dropFirst(5))
  }

  // MARK: - The process that sends

  /// Has the acting client open a link.
  ///
  /// - Returns: Whether there is one, and it took it.
  public func open(_ link: String) -> Bool {
    guard let connection = try? connected(by: Glibc.connect) else { return false }
    defer { close(connection) }
    Self.send("open \(link)\n", to: connection)
    return Self.line(from: connection) == "ok"
  }

  // MARK: - Bytes

  private func connected(
    by call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw POSIXError(.ENAMETOOLONG)
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw POSIXError.last }
    let failure = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard failure == 0 else {
      let problem = POSIXError.last
      close(descriptor)
      throw problem
    }
    return descriptor
  }

  private static func send(_ text: String, to connection: Int32) {
    let bytes = Array(text.utf8)
    // The other end may be gone.
    _ = Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// A line without its end; nil if none comes in time, or a longer one.
  private static func line(from connection: Int32) -> String? {
    var patience = patience
    setsockopt(
      connection, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1024)
    while line.count < longest {
      let count = recv(connection, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      line += buffer[..<count]
      if let end = line.firstIndex(of: 0x0A) {
        return String(validating: line[..<end], as: UTF8.self)
      }
    }
    return nil
  }
}
