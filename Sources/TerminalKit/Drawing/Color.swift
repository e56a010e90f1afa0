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

/// The number of colours to draw with.
public enum ColorMode: Sendable, Hashable, CaseIterable {
  /// Attributes only (bold, reverse, …): `NO_COLOR`, `--color never`, or a terminal without
  /// colours.
  case mono
  /// The terminal's 16 palette colours.
  case sixteen
  /// 256 colours: the palette and xterm's 240 fixed colours.
  case indexed
  /// 24-bit RGB, on terminals that support it, such as `xterm-direct`.
  case direct

  /// The mode requested by option and environment, before the terminal's capabilities are known.
  ///
  /// - Parameters:
  ///   - choice: `never`, `always` or `auto`, as given to `--color`.
  ///   - environment: Reads `NO_COLOR` (any value but the empty one, <https://no-color.org>).
  public init(choice: String, environment: [String: String]) {
    switch choice {
    case "never": self = .mono
    case "always": self = .direct
    default: self = environment["NO_COLOR", default: ""].isEmpty ? .direct : .mono
    }
  }

  /// This mode, or a lower one if the terminal has fewer colours.
  ///
  /// - Parameter colors: Number of colours that the terminal reports.
  public func limited(to colors: Int) -> ColorMode {
    let possible: ColorMode =
      switch colors {
      case ..<8: .mono
      case ..<256: .sixteen
      case ..<(1 << 24): .indexed
      default: .direct
      }
    return rank < possible.rank ? self : possible
  }

  private var rank: Int {
    switch self {
    case .mono: 0
    case .sixteen: 1
    case .indexed: 2
    case .direct: 3
    }
  }
}
