import Foundation
import Glibc
import RallyWire

/// The log of operators' acts in a data folder.
///
/// One JSON object a line in `audit.log`, which only its owner can read. A line is written before
/// the act; if that fails, the act is not done. It is no protection against operators, who can
/// change the file.
public struct AuditLog: Sendable {
  /// Bytes of one file. A full file is renamed to `audit.log.1`, and so on; the last one is
  /// deleted.
  static let size = 1 << 20
  /// The number of rotated files.
  static let kept = 4

  private let folder: String
  private let size: Int

  private var path: String { folder + "/audit.log" }

  /// - Parameter folder: A data folder, which is made where it is missing.
  public init(folder: String) { self.init(folder: folder, size: AuditLog.size) }

  package init(folder: String, size: Int) {
    self.folder = folder
    self.size = size
  }

  // MARK: - Writing

  /// Adds a line and waits until it is on disk.
  ///
  /// - Throws: `Failure`.
  package func append(_ act: AuditEntry.Act, account: String? = nil, file: String? = nil)
    throws(Failure)
  {
    let entry = AuditEntry(act: act, account: account, file: file)
    do {
      try DataFolder.makePrivate(folder)
      // Serializes concurrent commands.
      let lock = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard lock >= 0 else { throw PrivateFile.Failure.system(folder) }
      defer { close(lock) }
      guard flock(lock, LOCK_EX) == 0 else { throw PrivateFile.Failure.system(folder) }
      let line = try WireJSON.encode(entry) + Data("\n".utf8)
      try rotate(for: line.count)
      let log = DataFolder.openOrMakeFile(path)
      guard log >= 0 else { throw PrivateFile.Failure.system(path) }
      defer { close(log) }
      guard fcntl(log, F_SETFL, O_APPEND) == 0,
        line.withUnsafeBytes({ write(log, $0.baseAddress, $0.count) }) == line.count,
        fsync(log) == 0
      else { throw PrivateFile.Failure.system(path) }
    } catch {
      throw Failure(reason: "\(error)")
    }
  }

  private func rotate(for length: Int) throws {
    var status = stat()
    guard stat(path, &status) == 0, Int(status.st_size) + length > size else { return }
    for number in (1...AuditLog.kept).reversed() {
      let older = number == 1 ? path : "\(path).\(number - 1)"
      guard rename(older, "\(path).\(number)") == 0 || errno == ENOENT else {
        throw PrivateFile.Failure.system(older)
      }
    }
  }

  // MARK: - Reading

  /// The stored entries, oldest first; invalid lines are skipped.
  ///
  /// - Throws: The system's error if a file cannot be read.
  public func entries() throws -> [AuditEntry] {
    let files = (1...AuditLog.kept).reversed().map { "\(path).\($0)" } + [path]
    return try files.flatMap { file -> [AuditEntry] in
      guard access(file, F_OK) == 0 else { return [] }
      return try Data(contentsOf: URL(filePath: file)).split(separator: UInt8(ascii: "\n"))
        .compactMap { try? WireJSON.decode(AuditEntry.self, from: $0) }
    }
  }

  /// The act was not done, because its line could not be written.
  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    let reason: String

    public var description: String {
      "Nothing was done, because it could not be written to the audit log: \(reason)."
    }
  }
}

/// An operator's act.
public struct AuditEntry: Hashable, Sendable, Codable {
  public enum Act: String, Hashable, Sendable, Codable {
    case disable, enable, delete, backup, restore, move, invite
    case resetPassword = "reset-password"
    case rotateSecret = "rotate-secret"
  }

  public var time: WireTime
  /// The operating system's user, by name where it has one.
  public var user: String
  /// The user who called `sudo`; nil without it.
  public var sudoUser: String?
  public var act: Act
  /// The id of the affected account; nil if there is none.
  public var account: String?
  /// The backup that was written or restored, or where a server was moved from.
  public var file: String?

  enum CodingKeys: String, CodingKey {
    case time, user, act, account, file
    case sudoUser = "sudo_user"
  }

  /// An act of this process's user, now.
  init(act: Act, account: String?, file: String?) {
    time = .now
    user = AuditEntry.name(of: getuid())
    // Any user can set the variable, so it counts for root only.
    sudoUser = getuid() == 0 ? ProcessInfo.processInfo.environment["SUDO_USER"] : nil
    self.act = act
    self.account = account
    self.file = file
  }

  private static func name(of user: uid_t) -> String {
    getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? String(user)
  }
}
