import CZlib

/// gzip with a bound on what comes out; zlib (RFC 1950) is unpacked too.
enum Gzip {
  /// - Parameters:
  ///   - limit: The most bytes that may come out.
  ///   - subject: What is unpacked, with its article, for the error's sentence: "A tile".
  /// - Throws: `ArchiveError.tooLarge` beyond the limit, `.damaged` for anything but whole gzip or zlib.
  static func unpacked(
    _ packed: [UInt8], limit: Int, subject: String
  ) throws(ArchiveError) -> [UInt8] {
    var stream = z_stream()
    guard
      inflateInit2_(&stream, eitherWindow, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { throw .file("no memory is left") }
    defer { inflateEnd(&stream) }
    var input = packed
    var output: [UInt8] = []
    var consumed = 0
    var result = Z_OK
    while result == Z_OK {
      // One byte more than allowed tells a bomb from what just fits.
      let room = min(max(output.count, packed.count * 3, 4096), limit + 1 - output.count)
      var isFull = false
      let part = [UInt8](unsafeUninitializedCapacity: room) { target, filled in
        input.withUnsafeMutableBufferPointer { source in
          stream.next_in = source.baseAddress.map { $0 + consumed }
          stream.avail_in = UInt32(source.count - consumed)
          stream.next_out = target.baseAddress
          stream.avail_out = UInt32(room)
          result = inflate(&stream, Z_NO_FLUSH)
          consumed = source.count - Int(stream.avail_in)
        }
        filled = room - Int(stream.avail_out)
        isFull = stream.avail_out == 0
      }
      output += part
      guard output.count <= limit else { throw .tooLarge("\(subject) that unpacks to more bytes") }
      if result == Z_BUF_ERROR, isFull { result = Z_OK }
      // The format allows several members one after another.
      if result == Z_STREAM_END, consumed < input.count { result = inflateReset(&stream) }
    }
    guard result == Z_STREAM_END else { throw .damaged("\(subject.lowercased()) is no whole gzip") }
    return output
  }

  /// - Throws: `ArchiveError.file` if no memory is left.
  static func packed(_ bytes: [UInt8]) throws(ArchiveError) -> [UInt8] {
    var stream = z_stream()
    guard
      deflateInit2_(
        &stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzipWindow, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { throw .file("no memory is left") }
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))) + 32)
    var result = Z_OK
    input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        result = deflate(&stream, Z_FINISH)
      }
    }
    guard result == Z_STREAM_END else { throw .file("no memory is left") }
    output.removeLast(Int(stream.avail_out))
    return output
  }

  /// The largest window, with gzip's header and checksum around it.
  private static let gzipWindow: Int32 = 15 + 16
  /// The largest window; the first bytes distinguish gzip from zlib.
  private static let eitherWindow: Int32 = 15 + 32
}

/// How a stored tile is packed, which its first bytes show: what archives say about it is wrong at
/// times, and MBTiles says nothing.
enum TilePacking {
  case none, gzip, zlib

  init(of stored: [UInt8]) {
    if stored.starts(with: [0x1F, 0x8B]) {
      self = .gzip
    } else if stored.count >= 2, stored[0] == 0x78,
      (Int(stored[0]) << 8 | Int(stored[1])) % 31 == 0
    {
      // RFC 1950, section 2.2. A vector tile begins with another byte.
      self = .zlib
    } else {
      self = .none
    }
  }

  /// - Returns: At most `TileLimits.unpackedTile` bytes.
  /// - Throws: `ArchiveError` if the tile is damaged or too large.
  static func unpacked(_ stored: [UInt8]) throws(ArchiveError) -> [UInt8] {
    guard TilePacking(of: stored) == .none else {
      return try Gzip.unpacked(stored, limit: TileLimits.unpackedTile, subject: "A tile")
    }
    guard stored.count <= TileLimits.unpackedTile else { throw .tooLarge("A tile") }
    return stored
  }
}
