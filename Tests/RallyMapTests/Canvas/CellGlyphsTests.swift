import Testing

@testable import RallyMap

struct CellGlyphsTests {
  @Test func `braille has each dot where it is`() {
    let table = CellGlyphs.table(.braille)
    let order: [(Int, Int, Unicode.Scalar)] = [
      (0, 0, "⠁"), (0, 1, "⠂"), (0, 2, "⠄"), (1, 0, "⠈"), (1, 1, "⠐"), (1, 2, "⠠"), (0, 3, "⡀"),
      (1, 3, "⢀"),
    ]
    for (x, y, scalar) in order {
      #expect(table[Int(DotCanvas.bit(x: x, y: y))] == scalar)
    }
    #expect(table[0] == " " && table[255] == "⣿")
  }

  @Test func `two dots above each other are a quadrant`() {
    let table = CellGlyphs.table(.blocks)
    #expect(table[0] == " " && table[0x01] == "▘" && table[0x02] == "▘" && table[0x40] == "▖")
    #expect(table[0x80] == "▗" && table[0x09] == "▀" && table[0xff] == "█" && table[0x47] == "▌")
  }

  @Test func `letters resemble the dots and are ASCII`() {
    let table = CellGlyphs.table(.ascii)
    #expect(table.allSatisfy { $0.isASCII && $0.value >= 32 })
    #expect(table[0x47] == "|" && table[0xb8] == "|" && table[0xc0] == "_" && table[0xff] == "#")
    #expect(table[0x12] == "-" && table[0x40] == "." && table[0x01] == "'")
    // A stair to the upper right and one to the lower right.
    #expect(table[0x5c] == "/" && table[0xa3] == "\\")
    #expect(table.dropFirst().allSatisfy { $0 != " " })
  }

  @Test func `a sextant is the one that Unicode names by its dots`() {
    let older: [String: Unicode.Scalar] = ["": " ", "135": "▌", "246": "▐", "123456": "█"]
    for dots in UInt8.min...UInt8.max {
      // Rows of the sextant, from rows of dots.
      let rows = [[0], [1, 2], [3]]
      let digits = rows.indices.flatMap { row in
        [0, 1].compactMap { x in
          rows[row].contains { dots & DotCanvas.bit(x: x, y: $0) != 0 } ? "\(row * 2 + x + 1)" : nil
        }
      }.joined()
      let scalar = CellGlyphs.table(.sextants)[Int(dots)]
      if let known = older[digits] {
        #expect(scalar == known)
      } else {
        #expect(scalar.properties.name == "BLOCK SEXTANT-\(digits)")
      }
    }
  }
}
