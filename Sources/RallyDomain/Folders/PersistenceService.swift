import Dispatch
import FoundationEssentials
import Glibc
import Logging
import RallyWire
import Synchronization

/// Values kept on this machine as JSON files (0600 in a 0700 folder), replaced as a whole.
public final class PersistenceService: Sendable {
  /// The running program's cache; without a folder until `AppServices` gives it one.
  public static let shared = PersistenceService()

  private let folder: Mutex<String?>
  private let disk = Disk()
  private let log = RallyLog.logger("Persistence")

  /// A service without a folder: saving and retrieving throw `.notConfigured`.
  public init() { folder = Mutex(nil) }

  /// - Parameter folder: Made when something is saved first.
  public init(folder: String) { self.folder = Mutex(folder) }

  /// Takes over the folder of another service.
  public func stand(on other: PersistenceService) {
    let shared = other.folder.withLock { $0 }
    folder.withLock { $0 = shared }
  }

  /// - Throws: `PersistenceError.notConfigured`, `EncodingError`, or what the disk said.
  public func save<T: Encodable & Sendable>(_ object: T, withKey key: String) async throws {
    try await disk.save(WireJSON.encode(object), folder: path(), name: Self.fileName(key))
  }

  /// The saved value; nil when there is none or it was written by another version of the type.
  ///
  /// - Throws: `PersistenceError.notConfigured`, `FileError` if the file cannot be read.
  public func retrieve<T: Decodable & Sendable>(
    _ type: T.Type = T.self, withKey key: String
  ) async throws -> T? {
    guard let data = try await disk.read(folder: path(), name: Self.fileName(key)) else {
      return nil
    }
    do {
      return try await Self.decode(T.self, from: data)
    } catch {
      log.info("retrieve — not readable, ignored: \(key)")
      return nil
    }
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
  func read<T: Decodable & Sendable>(_ type: T.Type, withKey key: String) async throws -> T? {
    try await disk.read(folder: path(), name: Self.fileName(key))
      .map { try WireJSON.decode(T.self, from: $0) }
  }

  /// Changes a value in one step, between which and its reading no other process that uses this
  /// function comes.
  ///
  /// - Parameter initial: What is changed where there is none, or one of another version of the type.
  /// - Returns: The new value, and what `change` returned.
  /// - Throws: `PersistenceError.notConfigured`, or what the disk said.
  func update<T: Codable & Equatable & Sendable, Result: Sendable>(
    _ initial: T, withKey key: String, _ change: @Sendable (inout T) -> Result
  ) async throws -> (value: T, result: Result) {
    try await disk.update(folder: path(), name: Self.fileName(key)) { data in
      let before = data.flatMap { try? WireJSON.decode(T.self, from: $0) }
      var value = before ?? initial
      let result = change(&value)
      return (try value == before ? nil : WireJSON.encode(value), (value, result))
    }
  }

  /// The file of a value; nil without a folder.
  func path(ofKey key: String) -> String? {
    (try? path()).map { "\($0)/\(Self.fileName(key))" }
  }

  /// Deletes the saved value, if there is one.
  ///
  /// - Throws: `PersistenceError.notConfigured`, `FileError` if the file cannot be deleted.
  public func delete(withKey key: String) async throws {
    try await disk.delete(folder: path(), name: Self.fileName(key))
  }

  /// Waits for the operations that have begun; all later ones throw `.notConfigured`, so that the
  /// folder may be deleted.
  func close() async {
    folder.withLock { $0 = nil }
    await disk.end()
  }

  /// One element after files of the folder changed, also by other processes; ends at once without
  /// a folder.
  func changes() -> AsyncStream<Void> {
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

  func read(folder: String, name: String) throws -> Data? {
    try PrivateFiles.read("\(folder)/\(name)")
  }

  /// - Parameter change: Returns the new content; nil to leave the file as it is.
  func update<Result: Sendable>(
    folder: String, name: String, _ change: @Sendable (Data?) throws -> (Data?, Result)
  ) throws -> Result {
    try makeFolder(folder)
    // Released by `close`. Where the file system knows no locks, the change is made all the same.
    let lock = try? FileLock.take(folder, LOCK_EX, flags: O_RDONLY | O_DIRECTORY)
    defer { if let lock { close(lock) } }
    let (data, result) = try change(PrivateFiles.read("\(folder)/\(name)"))
    if let data { try PrivateFiles.write(data, to: "\(folder)/\(name)") }
    return result
  }

  func delete(folder: String, name: String) throws {
    try PrivateFiles.delete("\(folder)/\(name)")
  }
}
