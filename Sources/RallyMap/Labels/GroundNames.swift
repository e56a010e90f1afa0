/// The label candidates of the tiles under a view, most important first. Computed once per view.
struct GroundNames {
  let names: [GroundName]
  /// Maximum number of names drawn.
  let limit: Int

  static let none = GroundNames(names: [], limit: 0)

  private init(names: [GroundName], limit: Int) { (self.names, self.limit) = (names, limit) }

  init(_ viewport: Viewport, ground: MapGround, grid: GridTransform, measure: (Character) -> Int) {
    guard viewport.zoom >= MapGround.lowestZoom, !ground.patches.isEmpty else {
      self = .none
      return
    }
    var found: [Key: Candidate] = [:]
    for patch in ground.patches {
      guard let tile = patch.tile,
        let transform = TileTransform(
          patch, extent: tile.extent, grid: grid, worldDots: viewport.worldDots)
      else { continue }
      for label in tile.labels where viewport.zoom >= label.kind.fromZoom {
        Self.add(label, of: tile, transform, to: &found)
      }
    }
    let ordered = found.sorted {
      ($0.key.kind, $0.value.rank, -$0.value.length, $0.key.name)
        < ($1.key.kind, $1.value.rank, -$1.value.length, $1.key.name)
    }
    limit = max(viewport.columns * viewport.rows / Self.cellsPerName, 4)
    names = ordered.prefix(limit * 4).compactMap { key, candidate in
      let text = CellText(key.name, width: measure)
      let spots = candidate.spots(width: text.width, viewport)
      return spots.isEmpty
        ? nil : GroundName(kind: key.kind, text: text, name: key.name, spots: spots)
    }
  }

  /// At most one name on so many cells.
  private static let cellsPerName = 70

  private struct Key: Hashable {
    let kind: GroundLabelKind
    let name: String
  }

  /// Everything of one name in view.
  private struct Candidate {
    var rank: UInt8 = .max
    /// Visible length in dots; 0 for a point.
    var length = 0.0
    var points: [(x: Double, y: Double)] = []
    var runs: [StreetRun] = []

    mutating func add(point: (x: Double, y: Double), rank: UInt8) {
      points.append(point)
      self.rank = min(self.rank, rank)
    }

    mutating func add(_ more: [StreetRun], length: Double, rank: UInt8) {
      runs += more
      self.length += length
      self.rank = min(self.rank, rank)
    }

    func spots(width: Int, _ viewport: Viewport) -> [CellSpan] {
      let starts: [(column: Int, row: Int)]
      if runs.isEmpty {
        starts = points.flatMap { point in
          let column = Int((point.x / 2 - Double(width) / 2).rounded())
          let row = Int((point.y / 4).rounded(.down))
          return [(column, row), (column, row + 1), (column, row - 1)]
        }
      } else {
        // A name lies on a run that is nearly as long as itself, or crosses a steep one.
        let needed = Double(width) * 0.7
        let flat = runs.filter { Double($0.columns) >= needed }.sorted {
          ($0.columns, $1.row, $1.first) > ($1.columns, $0.row, $0.first)
        }
        let steep = runs.filter { Double($0.columns) < needed }
        let chosen = flat.prefix(6) + (length > Double(width) ? steep.middle(3) : [])
        starts = chosen.map { ($0.first + ($0.columns - width) / 2, $0.row) }
      }
      return starts.compactMap { start in
        let isOnGrid =
          start.column >= 0 && start.column + width <= viewport.columns && start.row >= 0
          && start.row < viewport.rows
        return isOnGrid ? CellSpan(column: start.column, row: start.row, width: width) : nil
      }
    }
  }

  private static func add(
    _ label: GroundTile.Label, of tile: GroundTile, _ transform: TileTransform,
    to found: inout [Key: Candidate]
  ) {
    let clip = transform.clip
    func isInView(_ x: Double, _ y: Double) -> Bool {
      x >= Double(clip.minX) && x <= Double(clip.maxX) && y >= Double(clip.minY)
        && y <= Double(clip.maxY)
    }
    let key = Key(kind: label.kind, name: tile.names[Int(label.name)])
    for part in label.parts {
      let run = tile.parts[Int(part)]
      guard let first = run.first else { continue }
      var last = (
        x: transform.x(tile.vertices[Int(first)].x), y: transform.y(tile.vertices[Int(first)].y)
      )
      if label.kind.isPoint || run.count == 1 {
        guard isInView(last.x, last.y) else { continue }
        found[key, default: Candidate()].add(point: last, rank: label.rank)
        continue
      }
      var tracer = RunTracer(clip: clip)
      for index in run.dropFirst() {
        let vertex = tile.vertices[Int(index)]
        let next = (x: transform.x(vertex.x), y: transform.y(vertex.y))
        tracer.add(from: last, to: next)
        last = next
      }
      let runs = tracer.finished()
      guard !runs.isEmpty else { continue }
      found[key, default: Candidate()].add(runs, length: tracer.length, rank: label.rank)
    }
  }
}

/// Cells of one row that a street passes one after the other.
private struct StreetRun: Hashable {
  let row: Int
  let first: Int
  let columns: Int
}

/// Follows a street over the grid and notes the straight runs along rows of cells.
private struct RunTracer {
  let clip: DotRect
  /// In dots.
  private(set) var length = 0.0
  private var runs: [StreetRun] = []
  private var current: (row: Int, first: Int, last: Int)?

  init(clip: DotRect) { self.clip = clip }

  mutating func add(from: (x: Double, y: Double), to: (x: Double, y: Double)) {
    guard max(from.x, to.x) >= Double(clip.minX), min(from.x, to.x) <= Double(clip.maxX),
      max(from.y, to.y) >= Double(clip.minY), min(from.y, to.y) <= Double(clip.maxY)
    else { return end() }
    let (dx, dy) = (to.x - from.x, to.y - from.y)
    // One step a cell, at most as many as a line across the grid needs.
    let steps = min(max(abs(dx) / 2, abs(dy) / 4).rounded(.up), 4096)
    for step in 0...max(Int(steps), 1) {
      let share = Double(step) / max(steps, 1)
      let (x, y) = (from.x + dx * share, from.y + dy * share)
      guard x >= Double(clip.minX), x <= Double(clip.maxX), y >= Double(clip.minY),
        y <= Double(clip.maxY)
      else {
        end()
        continue
      }
      visit(column: Int(x / 2), row: Int(y / 4))
    }
    length += (dx * dx + dy * dy).squareRoot()
  }

  private mutating func visit(column: Int, row: Int) {
    if let run = current, run.row == row, column >= run.first - 1, column <= run.last + 1 {
      current = (row, min(run.first, column), max(run.last, column))
      return
    }
    end()
    current = (row, column, column)
  }

  private mutating func end() {
    if let run = current {
      runs.append(StreetRun(row: run.row, first: run.first, columns: run.last - run.first + 1))
    }
    current = nil
  }

  mutating func finished() -> [StreetRun] {
    end()
    return runs
  }
}

extension Array {
  /// The elements around the middle, the middle one first.
  fileprivate func middle(_ count: Int) -> [Element] {
    let order = indices.sorted { abs($0 - self.count / 2) < abs($1 - self.count / 2) }
    return order.prefix(count).map { self[$0] }
  }
}

extension GroundLabelKind {
  /// The lowest zoom at which a name of this kind is drawn.
  var fromZoom: Double {
    switch self {
    case .city: MapGround.lowestZoom
    case .town: MapGround.lowestZoom + 0.5
    case .village: 11
    case .quarter: 12.5
    case .water: 11
    case .square: 15.5
    case .waterway: 12
    case .motorway: 12
    case .primary: 13.5
    case .secondary: 14.25
    case .street: 15
    case .path: 16.5
    }
  }

  var ink: MapInk {
    switch self {
    case .city, .town, .village: .cityLabel
    case .quarter, .square: .countryLabel
    case .water, .waterway: .waterLabel
    case .motorway, .primary, .secondary, .street, .path: .streetLabel
    }
  }
}

/// A name of the ground that is a candidate for a label.
struct GroundName {
  let kind: GroundLabelKind
  let text: CellText
  /// The name as the archive has it; a name is drawn once, however many tiles hold it.
  let name: String
  /// Where the text may start, best first. Each spot is fixed to the world, so that the same view
  /// always yields the same spots.
  let spots: [CellSpan]
}
