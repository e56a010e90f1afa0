import Glibc

/// A file read by position. A mapped file that shrinks would end the program; reading fails instead.
final class ArchiveFile: Sendable {
  let path: String
  /// The length when it was opened.
  let length: UInt64
  private let descriptor: Int32

  /// - Throws: `ArchiveError.file` if it cannot be opened or is no regular file.
  init(path: String) throws(ArchiveError) {
    // Without O_NONBLOCK a named pipe would wait for its writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .lastSystemError }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .file("it is not a regular file")
    }
    self.path = path
    self.descriptor = descriptor
    length = UInt64(max(status.st_size, 0))
  }

  /// Takes over an open descriptor of a file of this length.
  init(path: String, descriptor: Int32, length: UInt64) {
    (self.path, self.descriptor, self.length) = (path, descriptor, length)
  }

  deinit { close(descriptor) }

  /// - Throws: `ArchiveError.damaged` for a range beyond the file, `.vanished` if the file has become
  ///   shorter since, `.file` if the disk fails.
  func bytes(at offset: UInt64, count: Int) throws(ArchiveError) -> [UInt8] {
    guard count >= 0, offset <= length, UInt64(count) <= length - offset else {
      throw .damaged("it ends before something that it points to")
    }
    var done = 0
    var failure: ArchiveError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while done < count {
        let read = pread(
          descriptor, buffer.baseAddress.map { $0 + done }, count - done,
          off_t(offset) + off_t(done))
        if read > 0 {
          done += read
        } else if read == 0 || errno != EINTR {
          failure = read == 0 ? .vanished : .lastSystemError
          break
        }
      }
      filled = done
    }
    if let failure { throw failure }
    return bytes
  }
}

extension ArchiveError {
  /// The reason in `errno`.
  static var lastSystemError: ArchiveError { .file(String(cString: strerror(errno)).lowercased()) }
}
