/// How many colours there are to draw with.
public enum ColorMode: Sendable, Hashable, CaseIterable {
  /// Weights and reverse only: `NO_COLOR`, `--color never`, or a terminal without colours.
  case mono
  /// The terminal's own sixteen, whatever its owner made of them.
  case sixteen
  /// These and the 240 fixed colours of xterm.
  case indexed
  /// Every colour by its red, green and blue (terminals that say so, such as `xterm-direct`).
  case direct

  /// What a request and the environment come to, before the terminal is asked what it can do.
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

  /// What can be drawn of what is wanted.
  ///
  /// - Parameter colors: As many as the terminal says that it has.
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
