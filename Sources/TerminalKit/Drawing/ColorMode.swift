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
