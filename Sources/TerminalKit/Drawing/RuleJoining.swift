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
