/// An extent in terminal cells.
public struct Size: Hashable, Sendable {
  public var width: Int
  public var height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  public static let zero = Size(width: 0, height: 0)

  /// The smallest terminal with room for rules, a status row and sheets beside what they cover.
  package static let full = Size(width: 60, height: 16)

  /// Whether a terminal of this size has room for one thing at a time: a phone, a tmux split.
  package var isCompact: Bool { width < Self.full.width || height < Self.full.height }

  /// Rows of a terminal of this size that a sheet may take; the last one has its keys.
  package var sheetHeight: Int { max(0, height - 1) }
}

/// A cell position, counted from the top left corner, which is (0, 0).
public struct Point: Hashable, Sendable {
  public var x: Int
  public var y: Int

  public init(x: Int, y: Int) {
    self.x = x
    self.y = y
  }

  public static let zero = Point(x: 0, y: 0)
}

/// A rectangle of cells; its right and bottom edges are exclusive.
public struct Rect: Hashable, Sendable {
  public var origin: Point
  public var size: Size

  public init(origin: Point, size: Size) {
    self.origin = origin
    self.size = size
  }

  public init(x: Int, y: Int, width: Int, height: Int) {
    self.init(origin: Point(x: x, y: y), size: Size(width: width, height: height))
  }

  public static let zero = Rect(origin: .zero, size: .zero)

  public var minX: Int { origin.x }
  public var minY: Int { origin.y }
  public var maxX: Int { origin.x + size.width }
  public var maxY: Int { origin.y + size.height }
  public var width: Int { size.width }
  public var height: Int { size.height }
  public var isEmpty: Bool { size.width <= 0 || size.height <= 0 }

  public func contains(_ point: Point) -> Bool {
    point.x >= minX && point.x < maxX && point.y >= minY && point.y < maxY
  }

  public func intersection(_ other: Rect) -> Rect {
    let left = max(minX, other.minX)
    let top = max(minY, other.minY)
    return Rect(
      x: left, y: top, width: max(0, min(maxX, other.maxX) - left),
      height: max(0, min(maxY, other.maxY) - top))
  }

  public func inset(by insets: EdgeInsets) -> Rect {
    Rect(
      x: minX + insets.leading, y: minY + insets.top,
      width: max(0, width - insets.leading - insets.trailing),
      height: max(0, height - insets.top - insets.bottom))
  }
}

/// Cells kept free along each edge.
public struct EdgeInsets: Hashable, Sendable {
  public var top: Int
  public var leading: Int
  public var bottom: Int
  public var trailing: Int

  public init(top: Int = 0, leading: Int = 0, bottom: Int = 0, trailing: Int = 0) {
    self.top = top
    self.leading = leading
    self.bottom = bottom
    self.trailing = trailing
  }
}

/// Horizontal position of content in a wider space.
public enum HorizontalAlignment: Sendable { case leading, center, trailing }

/// Vertical position of content in a higher space.
public enum VerticalAlignment: Sendable { case top, center }

/// Position of content in a larger space.
public struct Alignment: Hashable, Sendable {
  public var horizontal: HorizontalAlignment
  public var vertical: VerticalAlignment

  public init(_ horizontal: HorizontalAlignment, _ vertical: VerticalAlignment) {
    self.horizontal = horizontal
    self.vertical = vertical
  }

  public static let topLeading = Alignment(.leading, .top)
  public static let center = Alignment(.center, .center)

  /// The rectangle of `size` placed inside `rect`.
  public func place(_ size: Size, in rect: Rect) -> Rect {
    let x =
      switch horizontal {
      case .leading: rect.minX
      case .center: rect.minX + max(0, (rect.width - size.width) / 2)
      case .trailing: rect.minX + max(0, rect.width - size.width)
      }
    let y =
      switch vertical {
      case .top: rect.minY
      case .center: rect.minY + max(0, (rect.height - size.height) / 2)
      }
    return Rect(x: x, y: y, width: size.width, height: size.height)
  }
}

extension Size {
  /// Maximum number of columns or rows that can be entered.
  public static let largestTyped = 1000

  /// Parses `100x30` as columns × rows, each 1...`largestTyped`; nil for anything else.
  public init?(typed text: String) {
    let parts = text.split(omittingEmptySubsequences: false) { "xX×".contains($0) }.map { Int($0) }
    guard parts.count == 2, let width = parts[0], let height = parts[1],
      (1...Self.largestTyped).contains(width), (1...Self.largestTyped).contains(height)
    else { return nil }
    self.init(width: width, height: height)
  }
}
