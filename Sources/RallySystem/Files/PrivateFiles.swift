import FoundationEssentials
import Glibc
import RallyText

/// Files (mode 0600) and folders (mode 0700) that only their owner may read.
package enum PrivateFiles {
  /// Creates the folder and its parents, and sets the folder's mode to 0700 if it exists already.
  package static func makeFolder(_ path: String) throws(FileError) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw FileError(path, error)
    }
    guard chmod(path, 0o700) == 0 else { throw FileError(path) }
  }

  /// The content; nil if the file does not exist.
  ///
  /// - Parameter limit: The most bytes that are read.
  package static func read(_ path: String, upTo limit: Int = .max) throws(FileError) -> Data? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 {
      if errno == ENOENT { return nil }
      throw FileError(path)
    }
    defer { close(descriptor) }
    do {
      return try read(from: descriptor, upTo: limit)
    } catch {
      throw FileError(path, error)
    }
  }

  /// What an open file has from its position on.
  package static func read(from descriptor: Int32, upTo limit: Int = .max) throws(POSIXError)
    -> Data
  {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while data.count < limit {
      let count = Glibc.read(descriptor, &buffer, min(buffer.count, limit - data.count))
      if count == 0 { break }
      if count < 0 {
        if errno == EINTR { continue }
        throw POSIXError.last
      }
      data.append(contentsOf: buffer[0..<count])
    }
    return data
  }

  /// Replaces the file atomically: a reader, or a crash, sees either the old content or the new.
  ///
  /// - Parameter mode: Of the new file, before the umask.
  package static func write(
    _ data: Data, to path: String, mode: mode_t = 0o600
  ) throws(FileError) {
    let temporary = "\(path).\(getpid()).\(UInt32.random(in: .min ... .max))"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw FileError(path) }
    do throws(POSIXError) {
      // Closed once, on every way: its number may be another thread's at once.
      defer { close(descriptor) }
      try writeAll(data, to: descriptor)
      guard fsync(descriptor) == 0 else { throw POSIXError.last }
    } catch {
      unlink(temporary)
      throw FileError(path, error)
    }
    guard rename(temporary, path) == 0 else {
      let error = FileError(path)
      unlink(temporary)
      throw error
    }
  }

  /// Changes the file while no other process does so, under a lock of its folder.
  ///
  /// - Parameter change: Returns the new content; nil to leave the file as it is.
  package static func update<Result>(
    _ path: String, _ change: (Data?) throws -> (Data?, Result)
  ) throws -> Result {
    // Where the file system has no locks, the change is made all the same.
    let lock = try? FileLock.take(path.parentPath, LOCK_EX, flags: O_RDONLY | O_DIRECTORY)
    defer { if let lock { FileLock.release(lock) } }
    let (data, result) = try change(read(path))
    if let data { try write(data, to: path) }
    return result
  }

  /// Creates a file; returns false and changes nothing if it exists already. None is left behind if it
  /// cannot be written.
  ///
  /// - Parameter mode: Of the new file, before the umask.
  package static func create(
    _ data: Data, at path: String, mode: mode_t = 0o600
  ) throws(FileError) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else {
      if errno == EEXIST { return false }
      throw FileError(path)
    }
    defer { close(descriptor) }
    do throws(POSIXError) {
      try writeAll(data, to: descriptor)
      guard fsync(descriptor) == 0 else { throw POSIXError.last }
    } catch {
      unlink(path)
      throw FileError(path, error)
    }
    return true
  }

  /// Removes the file; succeeds if there is none.
  package static func delete(_ path: String) throws(FileError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw FileError(path) }
  }

  static func writeAll(_ data: Data, to descriptor: Int32) throws(POSIXError) {
    var rest = data[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        throw POSIXError.last
      }
      rest = rest.dropFirst(count)
    }
  }
}

/// Files whose place the person chose: who else may read them is decided by the umask.
package enum ChosenFiles {
  /// Writes to what a path names.
  ///
  /// A file is replaced as a whole, also at the end of links; the links stay. A pipe or a device is
  /// written to and stays what it is: replacing it would take it from all other programs.
  package static func write(_ data: Data, to path: String) throws(FileError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      return try PrivateFiles.write(data, to: path, mode: 0o666)
    }
    guard status.st_mode & S_IFMT == S_IFREG else { return try send(data, to: path) }
    guard let file = realpath(path, nil) else { throw FileError(path) }
    defer { free(file) }
    try PrivateFiles.write(data, to: String(cString: file), mode: status.st_mode & 0o777)
  }

  /// Creates the first of these files that does not exist; no file is replaced.
  ///
  /// - Returns: Its path.
  package static func create(
    _ data: Data, at paths: some Sequence<String>
  ) throws(FileError) -> String {
    var last = ""
    for path in paths {
      if try PrivateFiles.create(data, at: path, mode: 0o666) { return path }
      last = path
    }
    throw FileError(last, POSIXError(.EEXIST))
  }

  private static func send(_ data: Data, to path: String) throws(FileError) {
    let descriptor = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(path) }
    defer { close(descriptor) }
    do {
      try PrivateFiles.writeAll(data, to: descriptor)
    } catch {
      throw FileError(path, error)
    }
  }
}

/// A file or folder of this machine that could not be used.
public struct FileError: ReportableError, Hashable, Sendable {
  public let path: String
  /// As the system says it: `permission denied`.
  public let reason: String

  /// - Parameter cause: By default the failure of the system call before, by `errno`.
  package init(_ path: String, _ cause: any Error = POSIXError.last) {
    self.path = path
    reason = cause.systemReason
  }

  /// - Returns: nil for an error about something else.
  public init?(_ error: any Error) {
    if let error = error as? FileError {
      self = error
    } else if let path = (error as? CocoaError)?.userInfo["NSFilePath"] as? String {
      self.init(path, error)
    } else {
      return nil
    }
  }

  public var sentence: String { "\(path) cannot be used (\(reason))." }
  public var logDetail: String { "\(path): \(reason)" }
}

extension POSIXError {
  /// The failure of the system call before, by `errno`.
  package static var last: POSIXError { POSIXError(.init(rawValue: errno) ?? .EIO) }
}

extension Error {
  /// Why a file or folder could not be used, as the system says it: `permission denied`.
  public var systemReason: String {
    if let error = self as? FileError { return error.reason }
    let cause = self as? CocoaError
    guard let error = self as? POSIXError ?? cause?.userInfo["NSUnderlyingError"] as? POSIXError
    else { return (self as? any ReportableError)?.logDetail ?? "\(type(of: self))" }
    return String(cString: strerror(error.code.rawValue)).lowercased()
  }
}

/// `flock` on files and folders, which the kernel releases however the process ends.
package enum FileLock {
  /// Opens the file and locks it, until `release` or the end of the process.
  ///
  /// - Parameters:
  ///   - how: `LOCK_SH` or `LOCK_EX`; waits for other processes unless `LOCK_NB` is added.
  ///   - flags: Those of `open`, beside `O_CLOEXEC`; a new file has mode 0600.
  /// - Throws: `EWOULDBLOCK` if another process holds it, or what the system says.
  package static func take(
    _ path: String, _ how: Int32, flags: Int32 = O_RDONLY
  ) throws(POSIXError) -> Int32 {
    let descriptor = open(path, flags | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw POSIXError.last }
    while flock(descriptor, how) != 0 {
      if errno == EINTR { continue }
      let reason = POSIXError.last
      close(descriptor)
      throw reason
    }
    return descriptor
  }

  /// Ends a lock and closes its file. `close` alone would leave it to a child that another thread
  /// starts just now, which has a copy of the descriptor until it runs its program.
  package static func release(_ lock: Int32) {
    flock(lock, LOCK_UN)
    close(lock)
  }

  /// Whether a process holds the lock of a file now; false if there is no file.
  package static func isHeld(_ path: String, flags: Int32 = O_RDONLY) -> Bool {
    do throws(POSIXError) {
      release(try take(path, LOCK_SH | LOCK_NB, flags: flags))
      return false
    } catch {
      return error.code == .EWOULDBLOCK
    }
  }
}
