/// Something of the caller's on the map: a friend, a mission, the person themself.
public struct MapMarker: Hashable, Sendable {
  /// Unique among the markers of a frame. The order of ids breaks every tie, so nothing jitters.
  public var id: String
  public var point: GeoPoint
  /// What is drawn at the place: "●", "@".
  public var glyph: Character
  /// The words beside it, may be empty.
  public var label: String
  /// Who is drawn over whom, gives a cluster its glyph and is labelled first: the highest.
  public var rank: Int
  /// The caller's class of colour, handed through to the cells.
  public var tag: UInt8
  /// The radius within which the marker lies, metres; drawn as an outline once it is wider than the glyph.
  public var accuracyMetres: Double?
  /// How far it may be from `point`, metres; 0 for a place that is known. Distances are told no
  /// finer.
  public var uncertaintyMetres: Double
  /// Where it is heading, degrees clockwise from north; drawn as an arrow beside the glyph.
  public var course: Double?
  /// Where it has been, oldest first; drawn up to the marker's own place.
  public var trail: [GeoPoint]
  /// Whether it may be counted together with its neighbours; false for what must be seen by itself.
  public var isClusterable: Bool
  /// Whether an arrow at the edge points to it when it is out of view.
  public var hasArrow: Bool

  public init(
    id: String, point: GeoPoint, glyph: Character = "●", label: String = "", rank: Int = 0,
    tag: UInt8 = 0, accuracyMetres: Double? = nil, uncertaintyMetres: Double = 0,
    course: Double? = nil, trail: [GeoPoint] = [], isClusterable: Bool = true, hasArrow: Bool = true
  ) {
    self.id = id
    self.point = point
    self.glyph = glyph
    self.label = label
    self.rank = rank
    self.tag = tag
    self.accuracyMetres = accuracyMetres
    self.uncertaintyMetres = uncertaintyMetres
    self.course = course
    self.trail = trail
    self.isClusterable = isClusterable
    self.hasArrow = hasArrow
  }
}
