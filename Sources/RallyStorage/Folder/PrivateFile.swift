import Foundation
import RallyWire

/// Files with mode 0600 that are written atomically.
enum PrivateFile {
  struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ path: String, _ reason: String) { description = "\(path): \(reason)" }

    static func system(_ path: String) -> Failure {
      Failure(path, String(cString: strerror(errno)))
    }
  }

  /// Why a system call failed, by `errno`.
  struct SystemFailure: Error, CustomStringConvertible {
    let description = String(cString: strerror(errno))
  }

  /// The content and the permission bits; nil if the file does not exist.
  ///
  /// - Parameter limit: The most bytes that are read.
  static func read(
    _ path: String, upTo limit: Int = .max
  ) throws(SystemFailure) -> (data: Data, mode: mode_t)? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw SystemFailure()
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw SystemFailure() }
    var data = Data()
    var part = [UInt8](repeating: 0, count: 4096)
    while data.count < limit {
      let count = Foundation.read(file, &part, min(part.count, limit - data.count))
      if count == 0 { break }
      if count < 0 {
        if errno == EINTR { continue }
        throw SystemFailure()
      }
      data += part.prefix(count)
    }
    return (data, status.st_mode & 0o777)
  }

  /// Creates an empty draft with mode 0600 next to its destination.
  ///
  /// - Throws: `Failure`, which names the destination.
  static func makeDraft(of path: String) throws -> String {
    let draft = "\(path).\(UUID().wireText).part"
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Failure.system(path) }
    close(file)
    return draft
  }

  /// Renames a finished draft to its destination, and syncs both to disk.
  ///
  /// - Parameter isReplacing: Whether an existing file is replaced.
  static func publish(_ draft: String, as path: String, replacing isReplacing: Bool) throws {
    try sync(draft)
    if isReplacing {
      guard rename(draft, path) == 0 else { throw Failure.system(path) }
    } else {
      // Unlike a rename, a link does not replace an existing file.
      guard link(draft, path) == 0 else {
        guard errno == EEXIST else { throw Failure.system(path) }
        throw Failure(path, "there is a file of this name already")
      }
      unlink(draft)
    }
    try sync((path as NSString).deletingLastPathComponent)
  }

  /// Copies a file into a new private one of a data folder.
  static func copy(_ source: String, to path: String) throws {
    let file = DataFolder.makeFile(path)
    guard file >= 0 else { throw Failure.system(path) }
    let output = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    guard let input = FileHandle(forReadingAtPath: source) else { throw Failure.system(source) }
    while let part = try input.read(upToCount: 1 << 20), !part.isEmpty {
      try output.write(contentsOf: part)
    }
    try input.close()
    try output.close()
  }

  private static func sync(_ path: String) throws {
    let file = open(path.isEmpty ? "." : path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Failure.system(path) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw Failure.system(path) }
  }
}
