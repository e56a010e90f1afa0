import Glibc

/// Reads sysfs and procfs attributes.
struct AttributeReader: Sendable {
  let root: String

  /// The trimmed text of an attribute; nil if it is missing, empty or cannot be read now.
  func text(_ path: String) -> String? {
    let descriptor = open("\(root)/\(path)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return AttributeReader.text(of: descriptor)
  }

  func number(_ path: String) -> Int? { text(path).flatMap { Int($0) } }

  /// The sorted names in a folder; empty if the folder does not exist.
  func names(in folder: String) -> [String] {
    guard let stream = opendir("\(root)/\(folder)") else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Reads an open attribute from its start, whatever the file offset; at most 64 KiB.
  static func text(of descriptor: Int32) -> String? {
    var bytes: [UInt8] = []
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { page in
      while bytes.count < 65_536 {
        let count = pread(descriptor, page.baseAddress, page.count, off_t(bytes.count))
        guard count > 0 else { return }
        bytes.append(contentsOf: page.prefix(count))
      }
    }
    let isBlank: (UInt8) -> Bool = { $0 <= 0x20 }
    guard let start = bytes.firstIndex(where: { !isBlank($0) }),
      let end = bytes.lastIndex(where: { !isBlank($0) })
    else { return nil }
    return String(decoding: bytes[start...end], as: UTF8.self)
  }
}
