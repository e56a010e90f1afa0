/// A marker on the map, such as a friend, a mission, or the person themself.
public struct MapMarker: Hashable, Sendable {
  /// Unique among the markers of a frame. Breaks ties of rank and label, so that the order is
  /// stable.
  public var id: String
  public var point: GeoPoint
  /// Drawn at the point: "●", "@".
  public var glyph: Character
  /// Drawn instead of the glyph where the marker stands alone; nil for the glyph.
  public var initial: Character?
  /// Text beside the glyph; may be empty.
  public var label: String
  /// Priority: the highest is drawn on top, gives a cluster its glyph and is labelled first.
  public var rank: Int
  /// The caller's colour class, passed through to `MapCell.tag`.
  public var tag: UInt8
  /// Accuracy radius in metres; drawn as an outline when larger than the glyph.
  public var accuracyMetres: Double?
  /// How much of the outline of the accuracy radius is drawn solid, 0...1, clockwise from north; the
  /// rest is dotted. Nil dots all of it.
  public var progress: Double?
  /// How far it may be from `point`, metres; 0 for a place that is known. Distances are shown no
  /// finer.
  public var uncertaintyMetres: Double
  /// Where it is heading, degrees clockwise from north; drawn as an arrow beside the glyph.
  public var course: Double?
  /// Past positions, oldest first; drawn as a path that ends at `point`.
  public var trail: [GeoPoint]
  /// Whether it may join a cluster; false for markers that must be visible by themselves.
  public var isClusterable: Bool
  /// Whether an edge arrow points to it when it is out of view.
  public var hasArrow: Bool

  public init(
    id: String, point: GeoPoint, glyph: Character = "●", initial: Character? = nil,
    label: String = "", rank: Int = 0, tag: UInt8 = 0, accuracyMetres: Double? = nil,
    progress: Double? = nil, uncertaintyMetres: Double = 0,
    course: Double? = nil, trail: [GeoPoint] = [], isClusterable: Bool = true, hasArrow: Bool = true
  ) {
    self.id = id
    self.point = point
    self.glyph = glyph
    self.initial = initial
    self.label = label
    self.rank = rank
    self.tag = tag
    self.accuracyMetres = accuracyMetres
    self.progress = progress
    self.uncertaintyMetres = uncertaintyMetres
    self.course = course
    self.trail = trail
    self.isClusterable = isClusterable
    self.hasArrow = hasArrow
  }
}

/// A marker or cluster as drawn.
public struct PlacedPin: Hashable, Sendable {
  /// The marker's id, or those of all cluster members, by rank, label and id.
  public var ids: [String]
  /// The cells of the glyph, and of a cluster's count.
  public var span: CellSpan
  /// The cells of the label; nil when it had no room.
  public var label: CellSpan?
  /// The tag of the first marker.
  public var tag: UInt8

  public var column: Int { span.column }
  public var row: Int { span.row }
  public var count: Int { ids.count }
  public var isCluster: Bool { ids.count > 1 }
}

/// An arrow at the edge of the map that points to one or more markers out of view.
public struct EdgeArrow: Hashable, Sendable {
  /// Ids of the markers in this direction, nearest first.
  public var ids: [String]
  /// The cell of the arrow itself.
  public var column: Int
  public var row: Int
  /// "↑" "↗" "→" …, or an ASCII substitute.
  public var glyph: Character
  /// The cells of arrow and text.
  public var span: CellSpan
  /// Distance to the nearest marker in metres.
  public var distance: Double
}
