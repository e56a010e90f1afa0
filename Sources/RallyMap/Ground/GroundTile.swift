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
    /// names; these may be the parts of a shape.
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

  public init(address: TileAddress, extent: Int) {
    (self.address, self.extent) = (address, extent)
  }

  /// About how much memory the tile takes.
  public var byteCount: Int {
    shapes.count * MemoryLayout<Shape>.stride + labels.count * MemoryLayout<Label>.stride
      + parts.count * MemoryLayout<Range<Int32>>.stride
      + vertices.count * MemoryLayout<Vertex>.stride
      + names.reduce(0) { $0 + $1.utf8.count + MemoryLayout<String>.stride }
  }
}
