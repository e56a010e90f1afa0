import RallyTestSupport
import Testing

@testable import TerminalKit

/// Text that nobody wrote, from fixed seeds.
@Suite struct CellWidthFuzzTests {
  private static let ranges: [ClosedRange<UInt32>] = [
    0x00...0x1F, 0x20...0x7E, 0x7F...0x9F, 0xA0...0x24F, 0x300...0x36F, 0x370...0x5FF,
    0x600...0x6FF,
    0x900...0xE7F, 0x1100...0x11FF, 0x200B...0x200F, 0x202A...0x202E, 0x2066...0x2069,
    0x20D0...0x20F0, 0x2190...0x27BF, 0x3040...0x30FF, 0x4E00...0x4E40, 0xAC00...0xAC40,
    0xD7B0...0xD7FF, 0xFE00...0xFE0F, 0xFFF9...0xFFFD, 0x1F1E6...0x1F1FF, 0x1F300...0x1FAFF,
    0x1F3FB...0x1F3FF, 0x200D...0x200D, 0xE0000...0xE01EF, 0x10000...0x10FFFF,
  ]

  private func text(_ generator: inout SeededGenerator) -> String {
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...24, using: &generator) {
      let range = Self.ranges.randomElement(using: &generator) ?? 0x20...0x7E
      if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &generator)) {
        text.append(scalar)
      }
    }
    return String(text)
  }

  @Test(arguments: 1...40)
  func `a text is as wide as its clusters, and they as what is drawn of them`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<150 {
      let text = text(&generator)
      CPUTimeLimit.check(text) { _ = text.wrapped(toCells: 3) }
      #expect(text.cellWidth == text.reduce(0) { $0 + CellWidth.width(of: $1) })
      for widths in [
        TextWidths(), TextWidths(isAmbiguousWide: true), TextWidths(spellsEmoji: true),
        TextWidths(isAmbiguousWide: true, spellsEmoji: true),
      ] {
        for character in text {
          let pieces = CellWidth.pieces(of: character, widths)
          #expect(
            pieces.reduce(0) { $0 + $1.width } == CellWidth.width(of: character, widths),
            "\(character.unicodeScalars.map(\.value))")
          for piece in pieces {
            #expect((1...2).contains(piece.width))
            #expect((1...5).contains(piece.text.unicodeScalars.count))
            #expect(!piece.text.unicodeScalars.contains(where: Self.acts))
          }
        }
      }
    }
  }

  /// What could act on a terminal, or reorder a line.
  private static func acts(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: scalar.properties.isBidiControl || scalar.value == 0x200D
    }
  }

  @Test(arguments: 1...40)
  func `every cut fits, every fill is exact, every line is no longer than asked`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(500 + seed))
    for _ in 0..<60 {
      let text = text(&generator)
      for limit in [0, 1, 2, 3, 5, 8, 13, 40] {
        #expect(text.truncated(toCells: limit).cellWidth <= limit, "\(text.debugDescription)")
        #expect(text.padded(toCells: limit).cellWidth == limit, "\(text.debugDescription)")
        guard limit >= 2 else { continue }
        #expect(text.wrapped(toCells: limit).allSatisfy { $0.cellWidth <= limit })
      }
    }
  }

  @MainActor @Test(arguments: 1...20)
  func `whatever text is drawn, a row has as many cells as the screen`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(900 + seed))
    let buffer = CellBuffer(size: Size(width: 12, height: 3))
    for _ in 0..<100 {
      let frame = FrameContext(buffer: buffer, now: .now)
      let clip = Rect(x: 2, y: 1, width: Int.random(in: 0...9, using: &generator), height: 1)
      Canvas(frame: frame, clip: clip).draw(
        text(&generator), at: Point(x: Int.random(in: -3...11, using: &generator), y: 1))
      for y in 0..<3 {
        #expect((0..<12).reduce(0) { $0 + Int(buffer[$1, y].width) } == 12)
      }
      #expect(buffer[1, 1].glyph == .space && buffer[11, 1].glyph == .space)
    }
  }

  @MainActor @Test(arguments: 1...20)
  func `a text of ASCII is drawn as its letters one by one`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(1300 + seed))
    let buffers = (0..<2).map { _ in CellBuffer(size: Size(width: 12, height: 1)) }
    for _ in 0..<100 {
      // given
      let wide = text(&generator)
      let letters = String(
        (0..<Int.random(in: 0...9, using: &generator)).map { _ in
          Character(Unicode.Scalar(UInt8.random(in: 0x20...0x7E, using: &generator)))
        })
      let clip = Rect(x: 2, y: 0, width: Int.random(in: 0...9, using: &generator), height: 1)
      let start = Int.random(in: -3...11, using: &generator)
      let canvases = buffers.map { Canvas(frame: FrameContext(buffer: $0, now: .now), clip: clip) }
      for canvas in canvases { canvas.draw(wide, at: Point(x: 3, y: 0)) }

      // when
      let width = canvases[0].draw(letters, at: Point(x: start, y: 0), style: .accent)
      for (offset, letter) in letters.enumerated() {
        canvases[1].draw(String(letter), at: Point(x: start + offset, y: 0), style: .accent)
      }

      // then
      #expect(width == max(0, min(letters.count, clip.maxX - start)))
      for x in 0..<12 { #expect(buffers[0][x, 0] == buffers[1][x, 0]) }
    }
  }
}
