import RallyText
import TerminalKit

/// Renders a screen as SVG: cells, colours and weights as in a terminal, with a dark background
/// unless another is given.
///
/// Braille, lines and blocks are drawn as shapes, so that the map looks the same in every font.
/// Letters are text in a monospaced font, each run scaled to the width of its cells. The output is
/// deterministic.
@MainActor public struct ScreenSVG {
  /// SVG units of one cell; at a font size of 13⅓, most monospaced fonts are 8 units wide.
  static let cell = (width: 8, height: 16)
  private static let margin = 10
  public static let background: UInt32 = 0x14171C

  private let buffer: CellBuffer
  private let theme: Theme
  private let mode: ColorMode
  private let ground: UInt32
  private let title: String

  /// - Parameters:
  ///   - title: A text alternative for screen readers.
  ///   - mode: With sixteen colours they are xterm's.
  ///   - ground: The terminal's background.
  public init(
    _ buffer: CellBuffer, title: String, theme: Theme = .dark, mode: ColorMode = .direct,
    ground: UInt32 = background
  ) {
    // The screen goes on.
    self.buffer = CellBuffer(size: buffer.size)
    self.buffer.copy(from: buffer)
    self.title = title
    self.theme = theme
    self.mode = mode
    self.ground = ground
  }

  public var text: String { Self.document(Self.outline(of: buffer.size), title: title, [picture]) }

  /// Screens of one size in rows, each on its own background.
  ///
  /// - Precondition: there is at least one.
  public static func sheet(_ rows: [[ScreenSVG]], title: String) -> String {
    let part = outline(of: rows[0][0].buffer.size)
    let parts = rows.enumerated().flatMap { row, screens in
      screens.enumerated().map { column, screen in
        "<g transform=\"translate(\(column * part.width) \(row * part.height))\">\n"
          + "<rect width=\"\(part.width)\" height=\"\(part.height)\""
          + " fill=\"\(CellLook.hex(screen.ground))\"/>\n" + screen.picture + "\n</g>"
      }
    }
    let columns = rows.map(\.count).max() ?? 1
    return document(
      Size(width: columns * part.width, height: rows.count * part.height), title: title, parts)
  }

  /// Screens of one size, one after the other for `seconds` each and then again from the first; only
  /// the first where somebody asks for less motion.
  ///
  /// - Precondition: there is at least one.
  public static func moving(_ screens: [ScreenSVG], seconds: Int, title: String) -> String {
    let share = String(100 / Double(screens.count)).prefix(6)
    let style = """
      <style>
      .s{visibility:hidden;animation:s \(seconds * screens.count)s step-end infinite}
      @keyframes s{0%{visibility:visible}\(share)%{visibility:hidden}}
      @media(prefers-reduced-motion:reduce){.s{animation:none}.s.f{visibility:visible}}
      </style>
      """
    let frames = screens.enumerated().map { index, screen in
      "<g class=\"s\(index == 0 ? " f" : "")\" style=\"animation-delay:\(index * seconds)s\">\n"
        + screen.picture + "\n</g>"
    }
    return document(outline(of: screens[0].buffer.size), title: title, [style] + frames)
  }

  /// The size of a picture with its margin, in SVG units.
  private static func outline(of size: Size) -> Size {
    Size(
      width: size.width * cell.width + 2 * margin, height: size.height * cell.height + 2 * margin)
  }

  private static func document(_ outline: Size, title: String, _ parts: [String]) -> String {
    let (width, height) = (outline.width, outline.height)
    let lines =
      [
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\""
          + " width=\"\(width)\" height=\"\(height)\" role=\"img\">",
        "<title>\(title.escapedForMarkup)</title>",
        "<rect width=\"\(width)\" height=\"\(height)\" rx=\"8\" fill=\"\(CellLook.hex(background))\"/>",
      ] + parts + ["</svg>", ""]
    return lines.joined(separator: "\n")
  }

  /// The cells, without the document round them.
  private var picture: String {
    var shapes = ShapeLayer()
    var letters: [String] = []
    var grounds: [String] = []
    for y in 0..<buffer.size.height {
      for run in runs(ofRow: y) {
        if let ground = run.look.background { grounds.append(Self.ground(run, y, ground)) }
        letters += self.letters(of: run, y, shapes: &shapes)
      }
    }
    let lines =
      [
        "<g transform=\"translate(\(Self.margin) \(Self.margin))\""
          + " font-family=\"ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace\""
          + " font-size=\"13.333\" style=\"white-space:pre\">"
      ] + grounds + shapes.elements + letters + ["</g>"]
    return lines.joined(separator: "\n")
  }

  // MARK: Runs

  /// Adjacent cells of the same style.
  private struct Run {
    var x: Int
    var look: CellLook
    var cells: [(text: String, width: Int)]

    var width: Int { cells.reduce(0) { $0 + $1.width } }
  }

  private func runs(ofRow y: Int) -> [Run] {
    var runs: [Run] = []
    for x in 0..<buffer.size.width where buffer[x, y].width > 0 {
      let cell = buffer[x, y]
      let look = CellLook(theme.resolve(cell.style, mode: mode), mode, ground: ground)
      let piece = (text: cell.glyph.text, width: Int(cell.width))
      if runs.last?.look == look {
        runs[runs.count - 1].cells.append(piece)
      } else {
        runs.append(Run(x: x, look: look, cells: [piece]))
      }
    }
    return runs
  }

  private static func ground(_ run: Run, _ y: Int, _ color: String) -> String {
    "<rect x=\"\(run.x * cell.width)\" y=\"\(y * cell.height)\" width=\"\(run.width * cell.width)\""
      + " height=\"\(cell.height)\" fill=\"\(color)\"/>"
  }

  // MARK: Letters

  /// The text elements of a run; characters that are shapes are added to `shapes`.
  private func letters(of run: Run, _ y: Int, shapes: inout ShapeLayer) -> [String] {
    var elements: [String] = []
    var word = ""
    var (start, width) = (run.x, 0)
    var x = run.x
    func flush() {
      let trimmed = word.prefix { $0 != " " }.isEmpty ? "" : word
      if !trimmed.isEmpty { elements.append(element(trimmed, x: start, y, width, run.look)) }
      (word, width) = ("", 0)
    }
    for cell in run.cells {
      let isShape =
        cell.text.unicodeScalars.first.map {
          shapes.draw($0, column: x, row: y, color: run.look.foreground)
        } ?? false
      // A wide character, and one whose width differs between fonts, is placed separately.
      let isAlone = cell.width != 1 || cell.text.utf8.count > 2
      if isShape || isAlone || cell.text == " " && (word.isEmpty || word.last == " ") {
        while word.last == " " {
          word.removeLast()
          width -= 1
        }
        flush()
        if !isShape, cell.text != " " {
          elements.append(element(cell.text, x: x, y, cell.width, run.look))
        }
      } else {
        if word.isEmpty { start = x }
        word += cell.text
        width += cell.width
      }
      x += cell.width
    }
    while word.last == " " {
      word.removeLast()
      width -= 1
    }
    flush()
    return elements
  }

  private func element(_ text: String, x: Int, _ y: Int, _ width: Int, _ look: CellLook) -> String {
    "<text x=\"\(x * Self.cell.width)\" y=\"\(y * Self.cell.height + 12)\""
      + " textLength=\"\(width * Self.cell.width)\" lengthAdjust=\"spacingAndGlyphs\""
      + " fill=\"\(look.foreground)\"\(look.isBold ? " font-weight=\"700\"" : "")"
      + "\(look.isUnderlined ? " text-decoration=\"underline\"" : "")>\(text.escapedForMarkup)</text>"
  }
}

/// The style of a cell in a picture; colours as `#rrggbb`.
struct CellLook: Hashable {
  var foreground: String
  /// Nil for the screen's background.
  var background: String?
  var isBold: Bool
  var isUnderlined: Bool

  /// The terminal's own text on a dark and on a light background.
  private static let inks: (onDark: UInt32, onLight: UInt32) = (0xD7D7D7, 0x1B2430)

  /// - Parameters:
  ///   - appearance: With the numbers of `mode`.
  ///   - ground: The screen's background.
  init(_ appearance: Appearance, _ mode: ColorMode, ground: UInt32) {
    let attributes = appearance.attributes
    var ink =
      Self.rgb(appearance.foreground, mode)
      ?? (ground >> 8 & 255 < 128 ? Self.inks.onDark : Self.inks.onLight)
    if attributes.contains(.dim) { ink = Self.mix(ink, ground) }
    let paper = Self.rgb(appearance.background, mode)
    if attributes.contains(.reverse) {
      foreground = Self.hex(paper ?? ground)
      background = Self.hex(ink)
    } else {
      foreground = Self.hex(ink)
      background = paper.map(Self.hex)
    }
    isBold = attributes.contains(.bold)
    isUnderlined = attributes.contains(.underline)
  }

  /// What a number of a mode is drawn as; nil for the terminal's own text or background.
  private static func rgb(_ number: Int32, _ mode: ColorMode) -> UInt32? {
    guard mode != .direct, let index = UInt8(exactly: number) else {
      return UInt32(exactly: number)
    }
    return index < 16 ? xterm[Int(index)] : XtermPalette.rgb(index)
  }

  /// xterm's first sixteen colours.
  private static let xterm: [UInt32] = [
    0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
    0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
  ]

  /// Mixes 60 % of one colour with 40 % of the other.
  private static func mix(_ one: UInt32, _ other: UInt32) -> UInt32 {
    [UInt32(0), 8, 16].reduce(0) { mixed, shift in
      let (ink, paper): (UInt32, UInt32) = (one >> shift & 255, other >> shift & 255)
      let channel = (3 * ink + 2 * paper) / 5
      return mixed | channel << shift
    }
  }

  static func hex(_ color: UInt32) -> String {
    let digits = String(color, radix: 16)
    return "#" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }
}
