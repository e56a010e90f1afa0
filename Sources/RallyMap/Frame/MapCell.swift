/// One cell of a frame.
public struct MapCell: Hashable, Sendable {
  /// What is drawn, a space for nothing. Where the cell's text has several scalars this is the first
  /// of them; `MapFrame.character(atColumn:row:)` gives all.
  public var scalar: Unicode.Scalar
  /// One more than the text's place in `MapFrame.clusters`; 0 where `scalar` says it all.
  var cluster: UInt16 = 0
  public var ink: MapInk
  /// The `MapMarker.tag` of whose marker, label, trail, area or arrow this is; 0 for the map itself.
  public var tag: UInt8 = 0
  var traits: Traits = []

  struct Traits: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    static let land = Traits(rawValue: 1)
    static let night = Traits(rawValue: 2)
    static let continuation = Traits(rawValue: 4)
    static let capital = Traits(rawValue: 8)
  }

  /// Whether the cell's middle is on land; also beneath labels and markers, for a background colour.
  public var isLand: Bool { traits.contains(.land) }
  /// Whether the sun has set over the cell's middle; never when `MapOptions.night` is nil.
  public var isNight: Bool { traits.contains(.night) }
  /// Whether this is the right half of a wide character, with nothing of its own to draw.
  public var isContinuation: Bool { traits.contains(.continuation) }
  /// Whether this belongs to the label of a capital.
  public var isCapital: Bool { traits.contains(.capital) }
  /// Whether `scalar` is the whole text: then nobody needs `MapFrame.character(atColumn:row:)`.
  public var isSingleScalar: Bool { cluster == 0 }
  /// Whether there is nothing to draw but a background.
  public var isBlank: Bool { scalar == " " || isContinuation }
}
