import FoundationEssentials
import Glibc
import RallyText

/// A new file of mode 0600 that is removed unless it is given a name.
final class TemporaryFile {
  private let descriptor: Int32
  private let path: String
  private var isNamed = false
  private var pending: [UInt8] = []
  private var written: UInt64 = 0
  private static let blockSize = 1 << 20

  /// Bytes appended so far.
  var length: UInt64 { written + UInt64(pending.count) }

  /// - Throws: `ArchiveError.file`.
  init(beside path: String) throws(ArchiveError) {
    var template = Array((path + ".XXXXXX").utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw .lastSystemError }
    self.path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  /// Removes the files that a killed program left beside a path. Nobody may be writing there.
  static func removeLeftovers(beside path: String) {
    let folder = path.parentPath
    let prefix = path.fileName + "."
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    where name.hasPrefix(prefix) && name.utf8.count == prefix.utf8.count + 6 {
      unlink("\(folder)/\(name)")
    }
  }

  deinit {
    close(descriptor)
    if !isNamed { unlink(path) }
  }

  /// Removes its name at once, so that not even a crash leaves it behind.
  func hide() { unlink(path) }

  /// - Throws: `ArchiveError.file`, for instance if the disk is full.
  func append(_ bytes: [UInt8]) throws(ArchiveError) {
    pending += bytes
    if pending.count >= Self.blockSize { try flush() }
  }

  private func flush() throws(ArchiveError) {
    var done = 0
    while done < pending.count {
      let count = pending.withUnsafeBytes {
        pwrite(
          descriptor, $0.baseAddress.map { $0 + done }, $0.count - done,
          off_t(written) + off_t(done))
      }
      if count > 0 { done += count } else if errno != EINTR { throw .lastSystemError }
    }
    written += UInt64(done)
    pending.removeAll(keepingCapacity: true)
  }

  /// - Throws: `ArchiveError.file`.
  func bytes(at offset: UInt64, count: Int) throws(ArchiveError) -> [UInt8] {
    if offset >= written {
      let start = Int(offset - written)
      return Array(pending[start..<start + count])
    }
    let file = ArchiveFile(path: path, descriptor: dup(descriptor), length: written)
    return try file.bytes(at: offset, count: count)
  }

  /// Brings everything to the disk, then gives it its name, replacing what had it.
  ///
  /// - Throws: `ArchiveError.file`.
  func rename(to name: String) throws(ArchiveError) {
    try flush()
    guard fsync(descriptor) == 0, Glibc.rename(path, name) == 0 else { throw .lastSystemError }
    isNamed = true
    let folder = open(name.parentPath, O_RDONLY | O_DIRECTORY)
    if folder >= 0 {
      fsync(folder)
      close(folder)
    }
  }
}
