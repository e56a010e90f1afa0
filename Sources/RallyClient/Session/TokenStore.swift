import FoundationEssentials
import RallySystem
import RallyText
import RallyWire

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
      notices?.tell("\(error.sentence) It keeps your session: without it you have to sign in.")
    } catch {
      notices?.tell("\(path) is damaged. It kept your session: you have to sign in again.")
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
