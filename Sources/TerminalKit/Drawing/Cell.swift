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
