import CZlib

/// Writes pictures of two colours as PNG (https://www.w3.org/TR/png-3/).
enum PNGWriter {
  typealias Colour = (UInt8, UInt8, UInt8)

  /// - Parameter rows: From the top, all of the same length; true is ink.
  static func png(_ rows: [[Bool]], background: Colour, ink: Colour) -> [UInt8] {
    let width = rows.first?.count ?? 0
    let raw = rows.flatMap { [filter] + packed($0) }
    let header = bigEndian(width) + bigEndian(rows.count) + [1, 3, 0, 0, 0]
    let palette = [background.0, background.1, background.2, ink.0, ink.1, ink.2]
    return signature + chunk("IHDR", header) + chunk("PLTE", palette)
      + chunk("IDAT", deflated(raw)) + chunk("IEND", [])
  }

  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  /// Before each row: it is as it stands there.
  private static let filter: UInt8 = 0

  /// One bit a pixel, an index into the palette.
  private static func packed(_ row: [Bool]) -> [UInt8] {
    stride(from: 0, to: row.count, by: 8).map { start in
      (start..<start + 8).reduce(UInt8(0)) { byte, x in
        byte << 1 | (x < row.count && row[x] ? 1 : 0)
      }
    }
  }

  private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + content
    let sum = crc32(0, body, UInt32(body.count))
    return bigEndian(content.count) + body + bigEndian(Int(sum))
  }

  private static func bigEndian(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var size = compressBound(UInt(bytes.count))
    var output = [UInt8](repeating: 0, count: Int(size))
    let result = compress2(&output, &size, bytes, UInt(bytes.count), Z_BEST_COMPRESSION)
    precondition(result == Z_OK, "zlib could not compress into the bound that it gave")
    return Array(output.prefix(Int(size)))
  }
}
