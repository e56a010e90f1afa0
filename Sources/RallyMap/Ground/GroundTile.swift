/// The features of one vector tile that the map draws, brought to one small set of classes.
///
/// Coordinates are tile units from the tile's north-west corner, positive to the east and south;
/// features may reach beyond the tile's edges by its buffer. All shapes share one array of points,
/// so a tile takes few allocations.
public struct GroundTile: Sendable {
  /// A point in tile units.
  public struct Vertex: Hashable, Sendable {
    public var x: Int16
    public var y: Int16

    public init(x: Int16, y: Int16) { (self.x, self.y) = (x, y) }
  }

  /// An area or a line.
  public struct Shape: Hashable, Sendable {
    public var kind: GroundKind
    /// Indices of its parts: the rings of an area (filled by the even-odd rule), the runs of a line.
    public var parts: Range<Int32>
    /// Bounding box in tile units.
    public var low: Vertex
    public var high: Vertex

    public init(kind: GroundKind, parts: Range<Int32>, low: Vertex, high: Vertex) {
      (self.kind, self.parts, self.low, self.high) = (kind, parts, low, high)
    }
  }

  /// A name and where it belongs.
  public struct Label: Hashable, Sendable {
    public var kind: GroundLabelKind
    /// Index into `names`.
    public var name: Int32
    /// Priority among labels of one kind, 0 first.
    public var rank: UInt8
    /// Indices of its parts: one point within the tile's edges, or the runs of the line that it
    /// names. These may be the parts of a shape.
    public var parts: Range<Int32>

    public init(kind: GroundLabelKind, name: Int32, rank: UInt8, parts: Range<Int32>) {
      (self.kind, self.name, self.rank, self.parts) = (kind, name, rank, parts)
    }
  }

  public let address: TileAddress
  /// Units along a side of the tile, 1...32767; mostly 4096.
  public let extent: Int
  /// In the order of the tile's layers and features, not by kind.
  public var shapes: ContiguousArray<Shape> = []
  public var labels: ContiguousArray<Label> = []
  /// Indices into `vertices`.
  public var parts: ContiguousArray<Range<Int32>> = []
  /// A ring's first point is not repeated at its end.
  public var vertices: ContiguousArray<Vertex> = []
  /// Cleaned for display; each at most 80 characters.
  public var names: [String] = []

  public init(address: TileAddress, extent: Int) { (self.address, self.extent) = (address, extent) }

  /// About how much memory the tile takes.
  public var byteCount: Int {
    shapes.count * MemoryLayout<Shape>.stride + labels.count * MemoryLayout<Label>.stride
      + parts.count * MemoryLayout<Range<Int32>>.stride
      + vertices.count * MemoryLayout<Vertex>.stride
      + names.reduce(0) { $0 + $1.utf8.count + MemoryLayout<String>.stride }
  }
}

/// The classes of areas and lines near by, in drawing order.
public enum GroundKind: UInt8, Comparable, Hashable, Sendable, CaseIterable {
  // Areas.
  /// Parks, woods, grass, cemeteries, sports grounds.
  case green
  /// Sea, lakes, and rivers that are wide enough to be areas.
  case water
  case building
  // Lines.
  /// Rivers, canals and streams.
  case waterway
  case rail
  /// Footways, steps, cycleways, tracks.
  case path
  /// Driveways, alleys, car parks' lanes.
  case service
  /// Residential and unclassified streets, pedestrian streets.
  case street
  /// Tertiary and secondary roads.
  case secondary
  /// Primary and trunk roads.
  case primary
  case motorway
  /// Borders of regions within a country.
  case regionBoundary
  /// Borders of countries.
  case countryBoundary

  public var isArea: Bool { self <= .building }

  public static func < (left: GroundKind, right: GroundKind) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// What a name of the ground belongs to, the most important first.
public enum GroundLabelKind: UInt8, Comparable, Hashable, Sendable, CaseIterable {
  // Points.
  case city
  case town
  case village
  /// Suburbs, quarters and neighbourhoods.
  case quarter
  /// Lakes, bays, seas; a river's name is a `waterway`.
  case water
  /// Squares and parks.
  case square
  // Lines.
  case waterway
  case motorway
  case primary
  case secondary
  case street
  case path

  public var isPoint: Bool { self <= .square }
  public var isStreet: Bool { self >= .motorway }

  public static func < (left: GroundLabelKind, right: GroundLabelKind) -> Bool {
    left.rawValue < right.rawValue
  }
}
