import CZlib
import Foundation
import RallyRules

/// A small picture of a person's initials.
enum InitialsFace {
  /// Pixels of a side.
  static let side = 96
  private static let scale = 7

  /// Dark enough for white letters.
  private static let colours: [(UInt8, UInt8, UInt8)] = [
    (0x1B, 0x6C, 0xA8), (0xA6, 0x3D, 0x40), (0x2E, 0x7D, 0x4F), (0x7A, 0x4F, 0x9E),
    (0x8C, 0x5A, 0x14), (0x1F, 0x7A, 0x7A), (0xA8, 0x3F, 0x78), (0x4A, 0x56, 0x68),
  ]

  /// - Parameters:
  ///   - text: One or two letters or digits.
  ///   - id: Chooses the colour.
  static func png(_ text: String, for id: UUID) -> [UInt8] {
    let glyphs = text.prefix(2).map { PixelFont.rows(of: $0) }
    let columns = glyphs.count * PixelFont.width + max(0, glyphs.count - 1)
    let (left, top) = ((side - columns * scale) / 2, (side - PixelFont.height * scale) / 2)
    let rows = (0..<side).map { y in
      (0..<side).map { x -> Bool in
        let (row, column) = ((y - top).flooredQuotient(scale), (x - left).flooredQuotient(scale))
        guard (0..<PixelFont.height).contains(row), (0..<columns).contains(column) else {
          return false
        }
        let (glyph, offset) = column.quotientAndRemainder(dividingBy: PixelFont.width + 1)
        guard offset < PixelFont.width else { return false }
        return glyphs[glyph][row] >> (PixelFont.width - 1 - offset) & 1 == 1
      }
    }
    let colour = colours[Int(id.uuid.15) % colours.count]
    return PNGWriter.png(rows, background: colour, ink: (0xFF, 0xFF, 0xFF))
  }
}

extension Int {
  fileprivate func flooredQuotient(_ divisor: Int) -> Int {
    let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? quotient - 1 : quotient
  }
}

/// Capital letters and digits of 5 by 7 pixels.
enum PixelFont {
  static let width = 5
  static let height = 7

  /// The rows from the top, the leftmost pixel in the fifth bit; empty rows for other characters.
  static func rows(of character: Character) -> [UInt8] {
    glyphs[character] ?? Array(repeating: 0, count: height)
  }

  private static let glyphs: [Character: [UInt8]] = [
    "A": [0x0E, 0x11, 0x11, 0x1F, 0x11, 0x11, 0x11],
    "B": [0x1E, 0x11, 0x11, 0x1E, 0x11, 0x11, 0x1E],
    "C": [0x0E, 0x11, 0x10, 0x10, 0x10, 0x11, 0x0E],
    "D": [0x1E, 0x11, 0x11, 0x11, 0x11, 0x11, 0x1E],
    "E": [0x1F, 0x10, 0x10, 0x1E, 0x10, 0x10, 0x1F],
    "F": [0x1F, 0x10, 0x10, 0x1E, 0x10, 0x10, 0x10],
    "G": [0x0E, 0x11, 0x10, 0x17, 0x11, 0x11, 0x0F],
    "H": [0x11, 0x11, 0x11, 0x1F, 0x11, 0x11, 0x11],
    "I": [0x0E, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0E],
    "J": [0x07, 0x02, 0x02, 0x02, 0x02, 0x12, 0x0C],
    "K": [0x11, 0x12, 0x14, 0x18, 0x14, 0x12, 0x11],
    "L": [0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x1F],
    "M": [0x11, 0x1B, 0x15, 0x15, 0x11, 0x11, 0x11],
    "N": [0x11, 0x19, 0x15, 0x13, 0x11, 0x11, 0x11],
    "O": [0x0E, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0E],
    "P": [0x1E, 0x11, 0x11, 0x1E, 0x10, 0x10, 0x10],
    "Q": [0x0E, 0x11, 0x11, 0x11, 0x15, 0x12, 0x0D],
    "R": [0x1E, 0x11, 0x11, 0x1E, 0x14, 0x12, 0x11],
    "S": [0x0F, 0x10, 0x10, 0x0E, 0x01, 0x01, 0x1E],
    "T": [0x1F, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04],
    "U": [0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0E],
    "V": [0x11, 0x11, 0x11, 0x11, 0x11, 0x0A, 0x04],
    "W": [0x11, 0x11, 0x11, 0x15, 0x15, 0x1B, 0x11],
    "X": [0x11, 0x11, 0x0A, 0x04, 0x0A, 0x11, 0x11],
    "Y": [0x11, 0x11, 0x0A, 0x04, 0x04, 0x04, 0x04],
    "Z": [0x1F, 0x01, 0x02, 0x04, 0x08, 0x10, 0x1F],
    "0": [0x0E, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0E],
    "1": [0x04, 0x0C, 0x04, 0x04, 0x04, 0x04, 0x0E],
    "2": [0x0E, 0x11, 0x01, 0x06, 0x08, 0x10, 0x1F],
    "3": [0x1F, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0E],
    "4": [0x02, 0x06, 0x0A, 0x12, 0x1F, 0x02, 0x02],
    "5": [0x1F, 0x10, 0x1E, 0x01, 0x01, 0x11, 0x0E],
    "6": [0x06, 0x08, 0x10, 0x1E, 0x11, 0x11, 0x0E],
    "7": [0x1F, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08],
    "8": [0x0E, 0x11, 0x11, 0x0E, 0x11, 0x11, 0x0E],
    "9": [0x0E, 0x11, 0x11, 0x0F, 0x01, 0x02, 0x0C],
  ]
}

/// Writes pictures of two colours as PNG (https://www.w3.org/TR/png-3/).
private enum PNGWriter {
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
