/// One place on the screen: plain data in eight bytes.
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

/// The name of a piece of text that fits one cell: a scalar as itself, longer text by number.
public struct Glyph: Hashable, Sendable {
  /// Below 0x110000 a scalar, from there on an index of the pool.
  let rawValue: UInt32

  init(rawValue: UInt32) { self.rawValue = rawValue }

  public init(_ scalar: Unicode.Scalar) { rawValue = scalar.value }

  public static let space = Glyph(" ")

  /// The scalar that this is; nil for longer text.
  var scalar: Unicode.Scalar? { Unicode.Scalar(rawValue) }

  @MainActor public init(_ text: String) { self = GlyphPool.shared.intern(text) }

  @MainActor public var text: String { GlyphPool.shared.text(of: self) }
}

/// Keeps the longer texts of cells, so that a cell stays small.
///
/// It holds what was drawn since the last `trim`, which the run loop calls before a frame, so that
/// foreign text cannot grow it for ever.
@MainActor final class GlyphPool {
  static let shared = GlyphPool()
  static let firstIndex: UInt32 = 0x110000

  private var texts: [String] = []
  private var indices: [String: UInt32] = [:]

  var count: Int { texts.count }
  /// Counts the trims: buffers drawn in another epoch show glyphs that mean nothing now.
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

  func text(of glyph: Glyph) -> String {
    if glyph.rawValue < Self.firstIndex {
      return Unicode.Scalar(glyph.rawValue).map { String(Character($0)) } ?? " "
    }
    let index = Int(glyph.rawValue - Self.firstIndex)
    return index < texts.count ? texts[index] : " "
  }

  /// Forgets everything when more than `limit` texts are held.
  func trim(above limit: Int = 8192) {
    guard texts.count > limit else { return }
    texts.removeAll()
    indices.removeAll()
    epoch += 1
  }
}
