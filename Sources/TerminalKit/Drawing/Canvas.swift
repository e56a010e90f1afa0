import RallyText

/// Draws into a buffer in absolute positions, clipped and with an inherited style.
@MainActor public struct Canvas {
  package let frame: FrameContext
  /// Clipping rectangle.
  public private(set) var clip: Rect
  /// Style inherited from the surrounding views.
  public private(set) var ambient: Style

  init(frame: FrameContext, clip: Rect, ambient: Style = .normal) {
    self.frame = frame
    self.clip = clip
    self.ambient = ambient
  }

  /// The frame's timestamp, the same for all views.
  public var now: ContinuousClock.Instant { frame.now }

  /// Whether the frame is drawn for a screen reader.
  public var isPlain: Bool { frame.isPlain }

  public func clipped(to rect: Rect) -> Canvas {
    Canvas(frame: frame, clip: clip.intersection(rect), ambient: ambient)
  }

  public func styled(_ style: Style) -> Canvas {
    Canvas(frame: frame, clip: clip, ambient: style.over(ambient))
  }

  /// Draws one line of text to the right of `point`; returns its width in cells.
  ///
  /// A wide character cut by the clip is drawn as a blank.
  @discardableResult
  public func draw(_ text: some StringProtocol, at point: Point, style: Style = .normal) -> Int {
    drawText(
      frame.isPlain ? PlainGlyphs.text(text) : String(text), at: point, style: style.over(ambient))
  }

  private func drawText(_ text: String, at point: Point, style: Style) -> Int {
    guard point.y >= clip.minY, point.y < clip.maxY, point.x < clip.maxX else { return 0 }
    if let width = drawASCII(text, at: point, style: style) { return width }
    var x = point.x
    for character in text {
      if x >= clip.maxX { break }
      if let ascii = character.asciiValue, ascii >= 0x20, ascii < 0x7F {
        if x >= clip.minX {
          frame.buffer.put(
            Glyph(Unicode.Scalar(ascii)), width: 1, style: style, at: Point(x: x, y: point.y))
        }
        x += 1
        continue
      }
      for piece in CellWidth.pieces(of: character) {
        put(piece.text, width: piece.width, style: style, at: Point(x: x, y: point.y))
        x += piece.width
      }
    }
    return x - point.x
  }

  /// Draws a text of printable ASCII, the common one, without looking for grapheme clusters; nil for
  /// any other text.
  private func drawASCII(_ text: String, at point: Point, style: Style) -> Int? {
    let bytes = text.utf8.span
    for index in bytes.indices where !bytes[index].isPrintableASCII { return nil }
    let width = min(bytes.count, clip.maxX - point.x)
    let hidden = max(0, clip.minX - point.x)
    if hidden < width {
      frame.buffer.put(
        ascii: bytes.extracting(hidden..<width), style: style,
        at: Point(x: point.x + hidden, y: point.y))
    }
    return width
  }

  /// Draws one scalar of width 1 without measuring it; for pictures of thousands of cells.
  package func put(_ scalar: Unicode.Scalar, at point: Point, style: Style) {
    guard clip.contains(point) else { return }
    frame.buffer.put(Glyph(scalar), width: 1, style: style.over(ambient), at: point)
  }

  /// Fills a rectangle with a glyph of width 1.
  public func fill(_ rect: Rect, with glyph: Glyph = .space, style: Style = .normal) {
    let area = rect.intersection(clip)
    guard !area.isEmpty else { return }
    let style = style.over(ambient)
    for y in area.minY..<area.maxY {
      for x in area.minX..<area.maxX {
        frame.buffer.put(glyph, width: 1, style: style, at: Point(x: x, y: y))
      }
    }
  }

  /// Changes the style of cells already drawn.
  public func restyle(_ rect: Rect, _ change: (Style) -> Style) {
    frame.buffer.restyle(rect.intersection(clip), change)
  }

  /// Draws a rounded border along the edge of `rect`.
  public func border(_ rect: Rect, style: Style = .rule) {
    guard rect.width >= 2, rect.height >= 2, !frame.isPlain else { return }
    let horizontal = String(repeating: "─", count: rect.width - 2)
    draw("╭" + horizontal + "╮", at: rect.origin, style: style)
    for y in (rect.minY + 1)..<(rect.maxY - 1) {
      draw("│", at: Point(x: rect.minX, y: y), style: style)
      draw("│", at: Point(x: rect.maxX - 1, y: y), style: style)
    }
    draw("╰" + horizontal + "╯", at: Point(x: rect.minX, y: rect.maxY - 1), style: style)
  }

  /// Sets the hardware cursor's position; the last call in a frame wins.
  ///
  /// - Parameter isGuess: Does not override the caret of a text field.
  public func setCursor(_ point: Point, isVisible: Bool, isGuess: Bool = false) {
    guard clip.contains(point), !isGuess || !frame.isTyping else { return }
    frame.isTyping = false
    frame.cursor = Cursor(position: point, isVisible: isVisible)
  }

  /// Whether a view drawn earlier in this frame has set the cursor.
  public var hasCursor: Bool { frame.cursor != nil }

  /// Sets the cursor as the caret of a text field.
  func setCaret(_ point: Point) {
    guard clip.contains(point) else { return }
    frame.cursor = Cursor(position: point, isVisible: true)
    frame.isTyping = true
  }

  /// Requests another frame after `delay`. Must be repeated in each frame.
  public func requestFrame(after delay: Duration) {
    frame.nextFrame = min(frame.nextFrame ?? delay, delay)
  }

  private func put(_ text: String, width: Int, style: Style, at point: Point) {
    if point.x >= clip.minX, point.x + width <= clip.maxX {
      frame.buffer.put(Glyph(text), width: width, style: style, at: point)
      return
    }
    let first = max(point.x, clip.minX)
    let end = min(point.x + width, clip.maxX)
    guard first < end else { return }
    for x in first..<end {
      frame.buffer.put(.space, width: 1, style: style, at: Point(x: x, y: point.y))
    }
  }
}

/// The hardware cursor. Even when hidden, its position guides screen readers and input methods.
public struct Cursor: Hashable, Sendable {
  public var position: Point
  public var isVisible: Bool

  public init(position: Point, isVisible: Bool) {
    self.position = position
    self.isVisible = isVisible
  }
}

/// State collected during one drawing pass.
@MainActor package final class FrameContext {
  let buffer: CellBuffer
  let now: ContinuousClock.Instant
  /// Plain mode for screen readers: no frames, ASCII marks, cursor at the selection.
  let isPlain: Bool
  var cursor: Cursor?
  /// Whether the cursor is the caret of a text field.
  var isTyping = false
  var nextFrame: Duration?
  var rules: [Rect] = []

  init(buffer: CellBuffer, now: ContinuousClock.Instant, isPlain: Bool = false) {
    self.buffer = buffer
    self.now = now
    self.isPlain = isPlain
  }
}

extension Canvas {
  /// Draws a rule that is joined with the rules it meets.
  func rule(_ rect: Rect, glyph: Glyph, style: Style) {
    let area = rect.intersection(clip)
    guard !area.isEmpty, !frame.isPlain else { return }
    fill(area, with: glyph, style: style)
    frame.rules.append(area)
  }

  /// Draws a vertical rule from a point up to the rule above it, through blank cells only, such as
  /// those beside a row of names.
  func extendRule(upFrom point: Point, style: Style) {
    guard !frame.isPlain else { return }
    var top = point.y
    while top > 0, frame.buffer[point.x, top - 1] == .blank { top -= 1 }
    guard top > 0, top < point.y,
      frame.rules.contains(where: {
        $0.height == 1 && $0.contains(Point(x: point.x, y: top - 1))
      })
    else { return }
    let area = Rect(x: point.x, y: top, width: 1, height: point.y - top)
    Canvas(frame: frame, clip: area).rule(area, glyph: "│", style: style)
  }
}

extension Glyph: ExpressibleByUnicodeScalarLiteral {
  public init(unicodeScalarLiteral value: Unicode.Scalar) { self.init(value) }
}

extension FrameContext {
  private struct Arms: OptionSet {
    let rawValue: Int
    static let up = Arms(rawValue: 1)
    static let down = Arms(rawValue: 2)
    static let left = Arms(rawValue: 4)
    static let right = Arms(rawValue: 8)
  }

  /// Draws junctions and corners (`┬ ┴ ├ ┤ ┼ ┌`) where rules of this frame meet.
  func joinRules() {
    var across: [Rect] = []
    var down: [Rect] = []
    for rule in rules where !rule.isEmpty {
      if rule.height == 1, rule.width > 1 { across.append(rule) }
      if rule.width == 1 { down.append(rule) }
    }
    for rule in across {
      for other in down where other.minX >= rule.minX && other.minX < rule.maxX {
        let (x, y) = (other.minX, rule.minY)
        guard y >= other.minY - 1, y <= other.maxY else { continue }
        var arms: Arms = []
        if Self.holds(down, x, y - 1) { arms.insert(.up) }
        if Self.holds(down, x, y + 1) { arms.insert(.down) }
        if x > rule.minX { arms.insert(.left) }
        if x < rule.maxX - 1 { arms.insert(.right) }
        join(x, y, arms)
      }
    }
    for rule in down {
      for other in across where other.minY >= rule.minY && other.minY < rule.maxY {
        guard rule.minX == other.minX - 1 || rule.minX == other.maxX else { continue }
        var arms: Arms = [.up, .down]
        if Self.holds(across, rule.minX - 1, other.minY) { arms.insert(.left) }
        if Self.holds(across, rule.minX + 1, other.minY) { arms.insert(.right) }
        join(rule.minX, other.minY, arms)
      }
    }
  }

  /// Lets the rules of this frame stand on the areas that are painted beside them, such as a map's:
  /// a frame of another colour would be seen around it.
  func groundRules() {
    for rule in rules where rule.width == 1 {
      for y in rule.minY..<rule.maxY {
        ground(rule.minX, y, from: [(rule.minX - 1, y), (rule.minX + 1, y)])
      }
    }
    // After those down, from which a junction has its ground.
    for rule in rules where rule.height == 1 && rule.width > 1 {
      for x in rule.minX..<rule.maxX {
        ground(x, rule.minY, from: [(x, rule.minY + 1), (x, rule.minY - 1)])
      }
    }
  }

  private func ground(_ x: Int, _ y: Int, from neighbours: [(x: Int, y: Int)]) {
    guard buffer[x, y].style.role == .rule else { return }
    let screen = Rect(origin: .zero, size: buffer.size)
    for neighbour in neighbours where screen.contains(Point(x: neighbour.x, y: neighbour.y)) {
      let style = buffer[neighbour.x, neighbour.y].style
      guard style.backdrop != .none else { continue }
      // The upper half of a cell may be another area than the lower one.
      let area = neighbour.y > y && style.role.isFill ? style.role : style.backdrop.area
      buffer.restyle(Rect(x: x, y: y, width: 1, height: 1)) {
        Style($0.role, $0.attributes, on: style.backdrop.over(area))
      }
      return
    }
  }

  private static func holds(_ rules: [Rect], _ x: Int, _ y: Int) -> Bool {
    for rule in rules where rule.contains(Point(x: x, y: y)) { return true }
    return false
  }

  private func join(_ x: Int, _ y: Int, _ arms: Arms) {
    let glyph: Glyph? =
      switch arms {
      case [.up, .down, .left, .right]: "┼"
      case [.up, .left, .right]: "┴"
      case [.down, .left, .right]: "┬"
      case [.up, .down, .left]: "┤"
      case [.up, .down, .right]: "├"
      case [.down, .right]: "┌"
      case [.down, .left]: "┐"
      case [.up, .right]: "└"
      case [.up, .left]: "┘"
      default: nil
      }
    guard let glyph else { return }
    buffer.put(glyph, width: 1, style: buffer[x, y].style, at: Point(x: x, y: y))
  }
}
