/// A grid of cells that views draw into.
@MainActor public final class CellBuffer {
  public private(set) var size: Size
  private var cells: [Cell]

  public init(size: Size) {
    self.size = Size(width: max(0, size.width), height: max(0, size.height))
    cells = Array(repeating: .blank, count: self.size.width * self.size.height)
  }

  public subscript(x: Int, y: Int) -> Cell { cells[y * size.width + x] }

  /// The cells of row `y`; each subscript of the buffer is checked for exclusive access.
  public func row(_ y: Int) -> ArraySlice<Cell> { cells[y * size.width..<(y + 1) * size.width] }

  /// Blanks all cells, and resizes if a size is given.
  public func clear(size newSize: Size? = nil) {
    if let newSize { size = Size(width: max(0, newSize.width), height: max(0, newSize.height)) }
    cells = Array(repeating: .blank, count: size.width * size.height)
  }

  /// Writes a glyph of one or two cells. A wide neighbour that loses one half becomes blank, as
  /// does a wide glyph that does not fit into the row.
  public func put(_ glyph: Glyph, width: Int, style: Style, at point: Point) {
    let size = size
    guard point.y >= 0, point.y < size.height, point.x >= 0, point.x < size.width else { return }
    if width == 2, point.x + 1 >= size.width {
      put(.space, width: 1, style: style, at: point)
      return
    }
    let row = point.y * size.width..<(point.y + 1) * size.width
    let cell = Cell(glyph: glyph, style: style, width: UInt8(clamping: max(1, width)))
    Self.put(cell, at: row.lowerBound + point.x, in: row, of: &cells)
  }

  /// One access to the buffer's cells, since each is checked for exclusiveness.
  private static func put(
    _ cell: Cell, at index: Int, in row: Range<Int>, of cells: inout [Cell]
  ) {
    var cells = cells.mutableSpan
    for place in index..<min(index + Int(cell.width), row.upperBound) {
      separate(place, in: row, of: &cells)
    }
    cells[index] = cell
    if cell.width == 2 { cells[index + 1] = Cell(glyph: .space, style: cell.style, width: 0) }
  }

  /// Writes printable ASCII side by side; what does not fit into the row is left out.
  func put(ascii: Swift.Span<UInt8>, style: Style, at point: Point) {
    let size = size
    guard point.y >= 0, point.y < size.height, point.x >= 0, point.x < size.width else { return }
    let row = point.y * size.width..<(point.y + 1) * size.width
    let first = row.lowerBound + point.x
    let count = min(ascii.count, row.upperBound - first)
    guard count > 0 else { return }
    Self.put(ascii.extracting(first: count), style: style, at: first, in: row, of: &cells)
  }

  private static func put(
    _ ascii: Swift.Span<UInt8>, style: Style, at first: Int, in row: Range<Int>,
    of cells: inout [Cell]
  ) {
    var cells = cells.mutableSpan
    // Only at the ends a wide glyph can lose one half alone.
    separate(first, in: row, of: &cells)
    separate(first + ascii.count - 1, in: row, of: &cells)
    for offset in ascii.indices {
      cells[first + offset] = Cell(
        glyph: Glyph(Unicode.Scalar(ascii[offset])), style: style, width: 1)
    }
  }

  /// Changes the style of the cells in a rectangle.
  public func restyle(_ rect: Rect, _ change: (Style) -> Style) {
    let area = rect.intersection(Rect(origin: .zero, size: size))
    guard !area.isEmpty else { return }
    for y in area.minY..<area.maxY {
      for x in area.minX..<area.maxX {
        cells[y * size.width + x].style = change(cells[y * size.width + x].style)
      }
    }
  }

  /// Copies size and cells of another buffer.
  public func copy(from other: CellBuffer) {
    size = other.size
    cells = other.cells
  }

  /// The columns of row `y` that differ from `other`, widened so that no wide glyph is cut; nil
  /// when equal. Buffers of different sizes differ everywhere.
  public func changedColumns(ofRow y: Int, since other: CellBuffer?) -> Range<Int>? {
    guard size.width > 0 else { return nil }
    guard let other, other.size == size else { return 0..<size.width }
    let row = y * size.width
    guard var (first, last) = changedEnds(in: row..<row + size.width, since: other) else {
      return nil
    }
    if cells[row + first].width == 0, first > 0 { first -= 1 }
    if cells[row + last].width == 2, last + 1 < size.width { last += 1 }
    return first..<(last + 1)
  }

  /// The first and last differing cell, relative to the start of the range.
  private func changedEnds(in range: Range<Int>, since other: CellBuffer) -> (Int, Int)? {
    // One access to either buffer's cells, since each is checked for exclusiveness.
    let (cells, others) = (cells, other.cells)
    var first = range.lowerBound
    while first < range.upperBound, cells[first] == others[first] { first += 1 }
    guard first < range.upperBound else { return nil }
    var last = range.upperBound - 1
    while cells[last] == others[last] { last -= 1 }
    return (first - range.lowerBound, last - range.lowerBound)
  }

  /// The text of row `y`; wide glyphs once, trailing blanks kept.
  public func text(ofRow y: Int) -> String {
    var text = ""
    for x in 0..<size.width where self[x, y].width > 0 { text += self[x, y].glyph.text }
    return text
  }

  /// Blanks the other half of a wide glyph that loses this one.
  private static func separate(
    _ index: Int, in row: Range<Int>, of cells: inout MutableSpan<Cell>
  ) {
    if cells[index].width == 0, index > row.lowerBound {
      cells[index - 1] = Cell(glyph: .space, style: cells[index - 1].style, width: 1)
    } else if cells[index].width == 2, index + 1 < row.upperBound {
      cells[index + 1] = Cell(glyph: .space, style: cells[index + 1].style, width: 1)
    }
  }
}

/// One screen cell: plain data in eight bytes.
public struct Cell: Hashable, Sendable {
  /// The text of the cell, interned.
  public var glyph: Glyph
  public var style: Style
  /// 1 or 2; 0 marks the second half of a wide neighbour on the left.
  public var width: UInt8

  public init(glyph: Glyph, style: Style, width: UInt8) {
    self.glyph = glyph
    self.style = style
    self.width = width
  }

  public static let blank = Cell(glyph: .space, style: .normal, width: 1)
}

/// The text of a cell: a single scalar is stored inline, longer text as an index into `GlyphPool`.
public struct Glyph: Hashable, Sendable {
  /// Below 0x110000 a Unicode scalar, else 0x110000 plus an index into the pool.
  let rawValue: UInt32

  init(rawValue: UInt32) { self.rawValue = rawValue }

  public init(_ scalar: Unicode.Scalar) { rawValue = scalar.value }

  public static let space = Glyph(" ")

  /// The scalar; nil for pooled text.
  package var scalar: Unicode.Scalar? { Unicode.Scalar(rawValue) }

  @MainActor public init(_ text: String) { self = GlyphPool.shared.intern(text) }

  @MainActor public var text: String { GlyphPool.shared.text(of: self) }
}

/// Interns cell texts of several scalars, so that a cell stays small.
///
/// The run loop calls `trim` before each frame, so that other people's text cannot grow the pool
/// without limit.
@MainActor final class GlyphPool {
  static let shared = GlyphPool()
  static let firstIndex: UInt32 = 0x110000

  private var texts: [String] = []
  private var indices: [String: UInt32] = [:]

  var count: Int { texts.count }
  /// Number of trims. Buffers drawn in an earlier epoch contain invalid glyphs.
  private(set) var epoch = 0

  func intern(_ text: String) -> Glyph {
    let scalars = text.unicodeScalars
    if let first = scalars.first, scalars.index(after: scalars.startIndex) == scalars.endIndex {
      return Glyph(first)
    }
    if text.isEmpty { return .space }
    if let index = indices[text] { return Glyph(rawValue: index) }
    let index = Self.firstIndex + UInt32(texts.count)
    texts.append(text)
    indices[text] = index
    return Glyph(rawValue: index)
  }

  package func text(of glyph: Glyph) -> String {
    if glyph.rawValue < Self.firstIndex {
      return Unicode.Scalar(glyph.rawValue).map { String(Character($0)) } ?? " "
    }
    let index = Int(glyph.rawValue - Self.firstIndex)
    return index < texts.count ? texts[index] : " "
  }

  /// Empties the pool when it holds more than `limit` texts.
  func trim(above limit: Int = 8192) {
    guard texts.count > limit else { return }
    texts.removeAll()
    indices.removeAll()
    epoch += 1
  }
}
