extension Canvas {
  /// Draws a line that is joined with the lines it meets.
  func rule(_ rect: Rect, glyph: Glyph, style: Style) {
    let area = rect.intersection(clip)
    guard !area.isEmpty, !frame.isPlain else { return }
    fill(area, with: glyph, style: style)
    frame.rules.append(area)
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

  /// Puts `┬ ┴ ├ ┤ ┼` where the rules of this frame end at each other.
  func joinRules() {
    for rule in rules where rule.height == 1 && rule.width > 1 {
      let y = rule.minY
      for x in rule.minX..<rule.maxX where isVertical(x, y - 1) || isVertical(x, y + 1) {
        var arms: Arms = []
        if isVertical(x, y - 1) { arms.insert(.up) }
        if isVertical(x, y + 1) { arms.insert(.down) }
        if x > rule.minX { arms.insert(.left) }
        if x < rule.maxX - 1 { arms.insert(.right) }
        join(x, y, arms)
      }
    }
    for rule in rules where rule.width == 1 && rule.height > 0 {
      for y in rule.minY..<rule.maxY {
        var arms: Arms = [.up, .down]
        if isHorizontal(rule.minX - 1, y) { arms.insert(.left) }
        if isHorizontal(rule.minX + 1, y) { arms.insert(.right) }
        if arms != [.up, .down] { join(rule.minX, y, arms) }
      }
    }
  }

  private func isVertical(_ x: Int, _ y: Int) -> Bool {
    rules.contains { $0.width == 1 && $0.contains(Point(x: x, y: y)) }
  }

  private func isHorizontal(_ x: Int, _ y: Int) -> Bool {
    rules.contains { $0.height == 1 && $0.width > 1 && $0.contains(Point(x: x, y: y)) }
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
