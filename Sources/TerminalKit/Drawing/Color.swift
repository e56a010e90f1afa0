/// A theme colour with fallbacks for terminals with fewer colours.
public enum Color: Hashable, Sendable {
  /// The terminal's default foreground or background.
  case terminal
  /// One of the terminal's 16 palette colours.
  case own(UInt8)
  /// A colour of xterm's 256-colour palette (16...255); `own` is the 16-colour fallback.
  case xterm(UInt8, own: UInt8?)
  /// 24-bit RGB; `xterm` (16...255) with 256 colours, `own` with 16.
  case rgb(UInt32, xterm: UInt8, own: UInt8?)

  /// The colour number for the terminal in a mode; -1 is the default colour.
  func number(in mode: ColorMode) -> Int32 {
    switch (self, mode) {
    case (_, .mono), (.terminal, _): -1
    case (.own(let own), _): Int32(own)
    case (.xterm(_, let own), .sixteen), (.rgb(_, _, let own), .sixteen): own.map(Int32.init) ?? -1
    case (.xterm(let index, _), .indexed), (.rgb(_, let index, _), .indexed): Int32(index)
    case (.xterm(let index, _), .direct): Int32(XtermPalette.rgb(index))
    case (.rgb(let rgb, _, _), .direct): Int32(rgb)
    }
  }
}

/// The 240 fixed colours of 256-colour terminals: a 6 × 6 × 6 cube and 24 greys.
///
/// Source: xterm's `256colres.pl`. The cube's levels are 0, 95, 135, 175, 215 and 255; the greys
/// are 8 + 10 n.
public enum XtermPalette {
  private static let levels: [UInt32] = [0, 95, 135, 175, 215, 255]

  /// - Parameter index: 16...255.
  public static func rgb(_ index: UInt8) -> UInt32 {
    if index >= 232 { return 0x01_01_01 * (8 + 10 * UInt32(index - 232)) }
    let cube = Int(max(index, 16)) - 16
    return levels[cube / 36] << 16 | levels[cube / 6 % 6] << 8 | levels[cube % 6]
  }
}
