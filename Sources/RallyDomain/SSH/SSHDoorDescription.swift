import FoundationEssentials
import Glibc
import RallyClient
import RallySystem
import RallyWire

/// The SSH door of this host as its file describes it.
public struct SSHDoorDescription: Sendable {
  /// Why the door's file cannot be used.
  public enum Problem: ReportableError, Hashable, Sendable {
    case unreadable(String)
    case notPrivate
    case damaged

    public var sentence: String {
      switch self {
      case .unreadable(let reason): "The door's file cannot be read (\(reason))."
      case .notPrivate: "The door's file can be read by others. Give it the mode 0600."
      case .damaged: "The door's file is damaged. Make it again."
      }
    }
  }

  public let file: SSHDoorFile
  /// Where the server is.
  public let server: ServerURL

  /// - Parameter path: Of an `SSHDoorFile` that nobody but its owner can read.
  /// - Throws: `Problem`.
  public init(path: String) throws(Problem) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .unreadable(String(cString: strerror(errno))) }
    guard status.st_mode & 0o077 == 0 else { throw .notPrivate }
    let data: Data?
    do {
      data = try PrivateFiles.read(path)
    } catch {
      throw .unreadable(error.systemReason)
    }
    guard let data, let file = try? WireJSON.decode(SSHDoorFile.self, from: data),
      let server = try? ServerURL(file.server), file.guests.hasPrefix("/")
    else { throw .damaged }
    self.file = file
    self.server = server
  }

  /// A client of the door's server whose requests count for the door.
  public func client(over transport: Transport = .live) -> SupabaseClient {
    SupabaseClient(
      tokens: nil, transport: transport.adding(header: SSHDoorPath.header, file.token)
    ) { [server, key = file.apiKey] in
      ServerAddress(endpoint: .url(server), key: key)
    }
  }
}
