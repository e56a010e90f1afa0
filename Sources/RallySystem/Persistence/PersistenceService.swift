import Dispatch
import FoundationEssentials
import Glibc
import Logging
import RallyWire
import Synchronization

/// Values kept on this machine as JSON files (0600 in a 0700 folder), replaced as a whole.
///
/// A cache takes a damaged file for none. Where the files are the person's own (with `notices`), a
/// damaged one gets another name before anything is written in its place, and a notice says where
/// it is. One that cannot be read is reported and thrown, so that no caller takes it for none.
public final class PersistenceService: Sendable {
  /// The running program's cache; without a folder until `AppServices` gives it one.
  public static let shared = PersistenceService()

  private let folder: Mutex<String?>
  private let disk = Disk()
  private let notices: StorageNotices?
  private let log = RallyLog.logger("Persistence")

  /// A service without a folder: saving and retrieving throw `.notConfigured`.
  public init() {
    folder = Mutex(nil)
    notices = nil
  }

  /// - Parameters:
  ///   - folder: Made when something is saved first.
  ///   - notices: Where it is reported what happened to the person's own files; nil for a cache.
  public init(folder: String, notices: StorageNotices? = nil) {
    self.folder = Mutex(folder)
    self.notices = notices
  }

  /// Tells the person, once, of a failure that no intent of theirs waits for.
  ///
  /// - Parameter consequence: What the failure means, as the beginning of a sentence.
  package func report(_ consequence: String, _ error: any Error) {
    log.error("\(consequence): \(error.logLabel)")
    notices?.post("\(consequence): \(error.sentence)")
  }

  /// Takes over the folder of another service.
  public func stand(on other: PersistenceService) {
    let shared = other.folder.withLock { $0 }
    folder.withLock { $0 = shared }
  }

  /// - Throws: `PersistenceError.notConfigured`, `EncodingError`, or what the disk said.
  @concurrent public func save<T: Encodable & Sendable>(_ object: T, withKey key: String)
    async throws
  {
    do {
      try await disk.save(WireJSON.encode(object), folder: path(), name: Self.fileName(key))
      log.info("save — kept: \(key)")
    } catch {
      log.info("save — failed: \(key): \(error.logLabel)")
      throw error
    }
  }

  /// The saved value; nil when there is none or it was written by another version of the type.
  ///
  /// - Throws: `PersistenceError.notConfigured`, `FileError` if the file cannot be read, or is damaged
  ///   and cannot be set aside.
  @concurrent public func retrieve<T: Decodable & Sendable>(
    _ type: T.Type = T.self, withKey key: String
  ) async throws -> T? {
    let (folder, name) = (try path(), Self.fileName(key))
    do throws(FileError) {
      guard let data = try await disk.read(folder: folder, name: name) else { return nil }
      if let value = try? await Self.decode(T.self, from: data) { return value }
      log.info("retrieve — not readable: \(key)")
      if notices != nil {
        noteDamage(try await disk.setAside(data, folder: folder, name: name), name: name)
      }
      return nil
    } catch {
      notices?.post("\(error.sentence) Nothing is written in its place.")
      throw error
    }
  }

  /// - Parameter path: Where a damaged file is now; nil if it was replaced meanwhile.
  private func noteDamage(_ path: String?, name: String) {
    guard let path else { return }
    notices?.post("\(name) is damaged. It is kept as \(path), and Rally goes on without it.")
  }

  /// Bytes of a file from which on it is decoded on a thread of its own: all tasks share one, and
  /// meanwhile other files are read.
  private static let large = 64 << 10
  private static let decoder = DispatchQueue(label: "rally.decoder")

  private static func decode<T: Decodable & Sendable>(
    _ type: T.Type, from data: Data
  ) async throws -> T {
    guard data.count >= large else { return try WireJSON.decode(type, from: data) }
    return try await withCheckedThrowingContinuation { continuation in
      decoder.async {
        continuation.resume(with: Result { try WireJSON.decode(type, from: data) })
      }
    }
  }

  /// The saved value; nil when there is none.
  ///
  /// - Throws: `PersistenceError.notConfigured`; `DecodingError` if it was written by another version
  ///   of the type; `FileError` if the file cannot be read.
  @concurrent package func read<T: Decodable & Sendable>(_ type: T.Type, withKey key: String)
    async throws -> T?
  {
    try await disk.read(folder: path(), name: Self.fileName(key))
      .map { try WireJSON.decode(T.self, from: $0) }
  }

  /// Changes a value in one step, between which and its reading no other process that uses this
  /// function comes.
  ///
  /// - Parameter initial: What is changed where there is none, or one of another version of the type.
  /// - Returns: The new value, and what `change` returned.
  /// - Throws: `PersistenceError.notConfigured`, or what the disk said; then nothing was changed.
  @concurrent package func update<T: Codable & Equatable & Sendable, Result: Sendable>(
    _ initial: T, withKey key: String, _ change: @Sendable (inout T) -> Result
  ) async throws -> (value: T, result: Result) {
    let (folder, name) = (try path(), Self.fileName(key))
    do {
      return try await disk.update(folder: folder, name: name) { data in
        let before = data.flatMap { try? WireJSON.decode(T.self, from: $0) }
        if let data, before == nil, notices != nil {
          noteDamage(try Disk.setAside(data, folder: folder, name: name), name: name)
        }
        var value = before ?? initial
        let result = change(&value)
        return (try value == before ? nil : WireJSON.encode(value), (value, result))
      }
    } catch {
      log.info("update — failed: \(key): \(error.logLabel)")
      throw error
    }
  }

  /// The file of a value; nil without a folder.
  package func path(ofKey key: String) -> String? {
    (try? path()).map { "\($0)/\(Self.fileName(key))" }
  }

  /// Deletes the saved value, if there is one.
  ///
  /// - Throws: `PersistenceError.notConfigured`, `FileError` if the file cannot be deleted.
  public func delete(withKey key: String) async throws {
    do {
      try await disk.delete(folder: path(), name: Self.fileName(key))
      log.info("delete — done: \(key)")
    } catch {
      log.info("delete — failed: \(key): \(error.logLabel)")
      throw error
    }
  }

  /// Deletes everything of a person, also what was set aside, as signing out must: the values whose
  /// keys end with the person's id.
  ///
  /// - Parameter key: Of the value that stays; nil for none.
  /// - Throws: `PersistenceError.notConfigured`, `FileError` if a file cannot be deleted; the others
  ///   are deleted then.
  package func deleteAll(of userID: UUID, exceptKey key: String? = nil) async throws {
    try await disk.deleteAll(folder: path(), of: userID.wireText, except: key.map(Self.fileName))
    log.info("deleteAll — done: \(userID.wireText)")
  }

  /// Waits for the operations that have begun; all later ones throw `.notConfigured`, so that the
  /// folder may be deleted.
  package func close() async {
    folder.withLock { $0 = nil }
    await disk.end()
  }

  /// One element after files of the folder changed, also by other processes; ends at once without
  /// a folder.
  package func changes() -> AsyncStream<Void> {
    guard let path = try? path() else { return AsyncStream { $0.finish() } }
    return FolderWatch.shared.changes(in: path)
  }

  private func path() throws -> String {
    guard let path = folder.withLock({ $0 }) else { throw PersistenceError.notConfigured }
    return path
  }

  /// Keys are ours, but a file name is only ever made of letters, digits and dashes.
  private static func fileName(_ key: String) -> String {
    String(key.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }) + ".json"
  }
}

public enum PersistenceError: ReportableError, Hashable, Sendable {
  case notConfigured

  public var sentence: String { "Rally has no folder to keep it in. Sign in first." }
}

/// One file operation at a time, in the order of the calls, off the main actor.
private actor Disk {
  private var isEnded = false

  func end() { isEnded = true }

  /// Makes a folder that something is to be written to.
  private func makeFolder(_ folder: String) throws {
    guard !isEnded else { throw PersistenceError.notConfigured }
    try PrivateFiles.makeFolder(folder)
  }

  func save(_ data: Data, folder: String, name: String) throws {
    try makeFolder(folder)
    try PrivateFiles.write(data, to: "\(folder)/\(name)")
  }

  func read(folder: String, name: String) throws(FileError) -> Data? {
    try PrivateFiles.read("\(folder)/\(name)")
  }

  /// What stands between a file's name and its ending once it was set aside.
  private static let damaged = ".damaged"

  /// Gives a damaged file a name of its own.
  ///
  /// - Parameter data: What was read of it; a file that has another content now stays.
  /// - Returns: The new path; nil if it stayed.
  static func setAside(_ data: Data, folder: String, name: String) throws(FileError) -> String? {
    let path = "\(folder)/\(name)"
    guard try PrivateFiles.read(path) == data else { return nil }
    let stem = path.hasSuffix(".json") ? String(path.dropLast(5)) : path
    var (other, number) = ("\(stem)\(damaged).json", 1)
    while access(other, F_OK) == 0 {
      number += 1
      other = "\(stem)\(damaged)-\(number).json"
    }
    guard rename(path, other) == 0 else { throw FileError(path) }
    return other
  }

  func setAside(_ data: Data, folder: String, name: String) throws(FileError) -> String? {
    try Self.setAside(data, folder: folder, name: name)
  }

  /// - Parameters:
  ///   - owner: What the names of a person's files end with.
  ///   - kept: The name of the file that stays.
  func deleteAll(folder: String, of owner: String, except kept: String?) throws {
    guard access(folder, F_OK) == 0 || errno != ENOENT else { return }
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw FileError(folder, error)
    }
    // One file that cannot be deleted keeps no other.
    var failure: FileError?
    for name in names where name != kept {
      guard name.hasSuffix("-\(owner).json") || name.contains("-\(owner)\(Self.damaged)") else {
        continue
      }
      do { try PrivateFiles.delete("\(folder)/\(name)") } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  /// - Parameter change: Returns the new content; nil to leave the file as it is.
  func update<Result: Sendable>(
    folder: String, name: String, _ change: @Sendable (Data?) throws -> (Data?, Result)
  ) throws -> Result {
    try makeFolder(folder)
    return try PrivateFiles.update("\(folder)/\(name)", change)
  }

  func delete(folder: String, name: String) throws {
    try PrivateFiles.delete("\(folder)/\(name)")
  }
}
