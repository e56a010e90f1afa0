import Foundation
import RallyWire
import Synchronization

/// The lock of a data folder, for one server: `flock` on `DIR/server.lock` for the lifetime of this
/// object.
///
/// The kernel releases it when the process ends. The file names the owner, in one line of JSON.
public final class DataFolderLock: Sendable {
  /// Who holds a folder.
  public struct Owner: Hashable, Sendable, Codable, CustomStringConvertible {
    public var pid: Int32
    public var url: String?
    public var socket: String?
    /// How the group reaches it, where its operator said so.
    public var publicURL: String?

    public init(pid: Int32, url: String? = nil, socket: String? = nil, publicURL: String? = nil) {
      self.pid = pid
      self.publicURL = publicURL
      self.url = url
      self.socket = socket
    }

    public var description: String {
      let place = (url ?? socket).map { " at \($0)" } ?? ""
      return "process \(pid)\(place)"
    }
  }

  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    case held(by: String)
    case system(String)

    public var description: String {
      switch self {
      case .held(let owner): "Another server uses this folder: \(owner)."
      case .system(let reason): "The folder cannot be locked: \(reason)."
      }
    }
  }

  private let file: Mutex<Int32?>

  /// Takes the lock without waiting, creating the folder if necessary.
  ///
  /// - Throws: `Failure.held` while another server has it.
  public init(folder: String) throws {
    try DataFolder.makePrivate(folder)
    let path = DataFolderLock.path(folder: folder)
    let file = DataFolder.openOrMakeFile(path)
    guard file >= 0 else { throw Failure.system("\(path): \(String(cString: strerror(errno)))") }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      let reason = errno
      close(file)
      guard reason == EWOULDBLOCK else { throw Failure.system(String(cString: strerror(reason))) }
      throw Failure.held(
        by: DataFolderLock.owner(folder: folder)?.description ?? "a process that is starting")
    }
    ftruncate(file, 0)
    self.file = Mutex(file)
    describe(Owner(pid: getpid()))
  }

  deinit { release() }

  package static func path(folder: String) -> String { folder + "/server.lock" }

  /// The last owner, which may have ended.
  public static func owner(folder: String) -> Owner? {
    FileManager.default.contents(atPath: path(folder: folder)).flatMap {
      try? WireJSON.decode(Owner.self, from: $0)
    }
  }

  /// Whether the locked file is still that of the folder: not after the folder was removed, also if
  /// another one has its name now.
  package func isCurrent(in folder: String) -> Bool {
    file.withLock { file in
      guard let file else { return false }
      return FileIdentity(descriptor: file) == FileIdentity(DataFolderLock.path(folder: folder))
    }
  }

  /// Writes the owner and its addresses to the file.
  public func describe(_ owner: Owner) {
    guard let line = try? Array((WireJSON.text(owner) + "\n").utf8) else { return }
    file.withLock { file in
      guard let file else { return }
      ftruncate(file, 0)
      _ = pwrite(file, line, line.count, 0)
    }
  }

  public func release() {
    file.withLock { file in
      guard let held = file else { return }
      ftruncate(held, 0)
      close(held)
      file = nil
    }
  }
}

/// Which file a path or a descriptor leads to, whatever its name is.
package struct FileIdentity: Hashable, Sendable {
  private let device: dev_t
  private let number: ino_t

  /// nil if there is none.
  package init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    (device, number) = (status.st_dev, status.st_ino)
  }

  package init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    (device, number) = (status.st_dev, status.st_ino)
  }
}
