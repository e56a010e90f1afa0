/// What a theme means by a colour, with what stands for it where there are fewer.
public enum Color: Hashable, Sendable {
  /// The terminal's own foreground or background.
  case terminal
  /// One of the terminal's own sixteen.
  case own(UInt8)
  /// A fixed colour of xterm's palette (16...255); `own` stands for it on sixteen.
  case xterm(UInt8, own: UInt8?)
  /// Red, green and blue in 24 bits; the nearest of xterm's on 256, `own` on sixteen.
  case rgb(UInt32, own: UInt8?)

  /// The number that the terminal takes in a mode; -1 is its own colour.
  func number(in mode: ColorMode) -> Int32 {
    switch (self, mode) {
    case (_, .mono), (.terminal, _): -1
    case (.own(let own), _): Int32(own)
    case (.xterm(_, let own), .sixteen), (.rgb(_, let own), .sixteen): own.map(Int32.init) ?? -1
    case (.xterm(let index, _), .indexed): Int32(index)
    case (.xterm(let index, _), .direct): Int32(XtermPalette.rgb(index))
    case (.rgb(let rgb, _), .indexed): Int32(XtermPalette.nearest(to: rgb))
    case (.rgb(let rgb, _), .direct): Int32(rgb)
    }
  }
}

/// The 240 colours that are the same on every terminal with 256: a cube of 6 × 6 × 6 and 24 greys.
///
/// Source: xterm's `256colres.pl`; the cube's levels are 0, 95, 135, 175, 215 and 255, the greys 8 + 10 n.
public enum XtermPalette {
  private static let levels: [UInt32] = [0, 95, 135, 175, 215, 255]

  /// - Parameter index: 16...255.
  public static func rgb(_ index: UInt8) -> UInt32 {
    if index >= 232 { return 0x01_01_01 * (8 + 10 * UInt32(index - 232)) }
    let cube = Int(max(index, 16)) - 16
    return levels[cube / 36] << 16 | levels[cube / 6 % 6] << 8 | levels[cube % 6]
  }

  /// The index whose colour looks nearest: green counts most, red least.
  public static func nearest(to rgb: UInt32) -> UInt8 {
    let candidates = UInt8(16)...255
    return candidates.min { distance(self.rgb($0), rgb) < distance(self.rgb($1), rgb) } ?? 16
  }

  private static func distance(_ one: UInt32, _ other: UInt32) -> Int {
    func square(_ shift: UInt32) -> Int {
      let difference = Int(one >> shift & 255) - Int(other >> shift & 255)
      return difference * difference
    }
    return 2 * square(16) + 4 * square(8) + 3 * square(0)
  }
}
