import Glibc

/// The tiles of an extract that were fetched so far, kept beside the archive to be.
///
/// The file starts with eight letters, the extract's digest, and the source's place (length, text);
/// then follow the needed bytes in the source's order. Only whole responses are appended, each
/// brought to the disk.
final class PartialExtract {
  private static let magic = Array("RALLYPT2".utf8)
  /// Of what stands before the place.
  private static let fixedLength = 18

  let path: String
  private let descriptor: Int32
  private let headerLength: UInt64
  /// How many of the needed bytes are there.
  private(set) var position: UInt64

  /// Opens what is there of this extract, or begins anew. Nobody else can while it is open.
  ///
  /// - Throws: `ArchiveError.file`.
  init(path: String, of extract: PMTilesExtract) throws(ArchiveError) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .lastSystemError }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw .file("another program is writing to it")
    }
    self.path = path
    self.descriptor = descriptor
    let header = Self.header(of: extract)
    headerLength = UInt64(header.count)
    var found = [UInt8](repeating: 0, count: header.count)
    let length = max(lseek(descriptor, 0, SEEK_END), 0)
    if pread(descriptor, &found, found.count, 0) == found.count, found == header {
      position = min(UInt64(length) - headerLength, extract.spans.count)
    } else {
      position = 0
      guard ftruncate(descriptor, 0) == 0,
        pwrite(descriptor, header, header.count, 0) == header.count
      else { throw .lastSystemError }
    }
  }

  deinit { close(descriptor) }

  private static func header(of extract: PMTilesExtract) -> [UInt8] {
    let place = Array(extract.source.place.utf8.prefix(Int(UInt16.max)))
    var header = magic
    header.append(littleEndian: extract.digest)
    header.append(littleEndian: UInt16(place.count))
    return header + place
  }

  /// How many of an extract's bytes a file has; 0 if it is of another extract or there is none.
  static func position(of extract: PMTilesExtract, in path: String) -> UInt64 {
    let header = header(of: extract)
    let length = UInt64(header.count)
    guard let file = try? ArchiveFile(path: path), file.length >= length,
      (try? file.bytes(at: 0, count: header.count)) == header
    else { return 0 }
    return min(file.length - length, extract.spans.count)
  }

  /// Where the extract in a file comes from; nil if there is none.
  static func place(in path: String) -> String? {
    guard let file = try? ArchiveFile(path: path),
      let start = try? file.bytes(at: 0, count: fixedLength), start.starts(with: magic),
      let place = try? file.bytes(
        at: UInt64(fixedLength), count: Int(start.littleEndian(UInt16.self, at: 16)))
    else { return nil }
    return String(validating: place, as: UTF8.self)
  }

  /// - Throws: `ArchiveError.file`, for instance if the disk is full.
  func append(_ bytes: [UInt8]) throws(ArchiveError) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(
          descriptor, $0.baseAddress.map { $0 + done }, $0.count - done,
          off_t(headerLength + position) + off_t(done))
      }
      if count > 0 { done += count } else if errno != EINTR { throw .lastSystemError }
    }
    guard fsync(descriptor) == 0 else { throw .lastSystemError }
    position += UInt64(done)
  }

  /// - Throws: `ArchiveError.file`, `.vanished`.
  func bytes(at position: UInt64, count: Int) throws(ArchiveError) -> [UInt8] {
    let file = ArchiveFile(
      path: path, descriptor: dup(descriptor), length: headerLength + self.position)
    return try file.bytes(at: headerLength + position, count: count)
  }

  func remove() { unlink(path) }
}
