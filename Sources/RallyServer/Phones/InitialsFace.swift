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
