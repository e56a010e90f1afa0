/// One cell of an emulated screen.
public struct ScreenCell: Hashable, Sendable {
  /// A grapheme; empty in the right half of a wide one.
  public var text: String
  public var style: Style

  public static let blank = ScreenCell(text: " ", style: Style())

  public struct Style: Hashable, Sendable {
    public var bold = false
    public var dim = false
    public var italic = false
    public var underline = false
    public var blink = false
    public var reverse = false
    public var hidden = false
    public var foreground = Color.standard
    public var background = Color.standard

    public init() {}
  }

  public enum Color: Hashable, Sendable {
    case standard
    case palette(Int)
    case rgb(Int, Int, Int)
  }
}

extension ScreenCell.Style {
  /// Applies SGR parameters; none resets the style.
  mutating func apply(_ parameters: [Int?]) {
    var rest = parameters.map { $0 ?? 0 }[...]
    while let code = rest.popFirst() {
      switch code {
      case 0: self = ScreenCell.Style()
      case 1: bold = true
      case 2: dim = true
      case 3: italic = true
      case 4: underline = true
      case 5, 6: blink = true
      case 7: reverse = true
      case 8: hidden = true
      case 21, 22: (bold, dim) = (false, false)
      case 23: italic = false
      case 24: underline = false
      case 25: blink = false
      case 27: reverse = false
      case 28: hidden = false
      case 30...37: foreground = .palette(code - 30)
      case 38: foreground = Self.extendedColor(&rest) ?? foreground
      case 39: foreground = .standard
      case 40...47: background = .palette(code - 40)
      case 48: background = Self.extendedColor(&rest) ?? background
      case 49: background = .standard
      case 90...97: foreground = .palette(code - 90 + 8)
      case 100...107: background = .palette(code - 100 + 8)
      default: break
      }
    }
  }

  private static func extendedColor(_ rest: inout ArraySlice<Int>) -> ScreenCell.Color? {
    switch rest.popFirst() {
    case 5: return rest.popFirst().map(ScreenCell.Color.palette)
    case 2:
      guard let red = rest.popFirst(), let green = rest.popFirst(), let blue = rest.popFirst()
      else { return nil }
      return .rgb(red, green, blue)
    default: return nil
    }
  }
}

extension Unicode.Scalar {
  /// The width of this scalar in cells, as in glibc's `wcwidth` in a UTF-8 locale.
  ///
  /// Independent of the program's own width function, so that tests find mistakes there.
  var terminalWidth: Int {
    if value < 0x300 { return 1 }
    switch value {
    case 0x1160...0x11FF, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x2064, 0xFEFF: return 0
    default: break
    }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F320, 0x1F3FB...0x1F3FF,
      0x20000...0x3FFFD:
      return 2
    default:
      return properties.isEmojiPresentation ? 2 : 1
    }
  }
}
