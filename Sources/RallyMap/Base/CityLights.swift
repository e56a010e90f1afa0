/// The lights of large cities over which it is dark, as dots of the grid.
struct CityLights {
  let dots: [(x: Int, y: Int)]

  static let none = CityLights(dots: [])

  /// From this zoom on a city is wider than its lights.
  static let highestZoom = 7.0
  /// The step of night from which on lights are seen: civil twilight is over.
  private static let fromDepth: UInt8 = 3

  private init(dots: [(x: Int, y: Int)]) { self.dots = dots }

  init(_ viewport: Viewport, cities: WorldCities, night: NightMask) {
    guard viewport.zoom < Self.highestZoom else {
      self = .none
      return
    }
    // Eight times as many as have names.
    let least = PlaceNames.leastPopulation(zoom: viewport.zoom + 3)
    let projection = CellProjection(viewport)
    var dots: [(x: Int, y: Int)] = []
    for index in 0..<cities.count {
      let population = cities.population(at: index)
      if Double(population) < least { break }
      let point = cities.worldPoint(at: index)
      guard let cell = projection.cell(of: point),
        night.depths[cell.row * viewport.columns + cell.column] >= Self.fromDepth
      else { continue }
      let position = projection.position(of: point)
      let (x, y) = (Int(position.column * 2), Int(position.row * 4))
      dots.append((x, y))
      if population >= 3_000_000 { dots.append((x + 1, y)) }
      if population >= 10_000_000 { dots += [(x, y + 1), (x + 1, y + 1)] }
    }
    self.dots = dots
  }
}

extension DotCanvas {
  /// Draws lights where no line is: a coast keeps its shape.
  mutating func draw(_ lights: CityLights, clip: DotRect) {
    let free = lights.dots.filter { dot in
      let (column, row) = (dot.x / 2, dot.y / 4)
      return column < columns && row < rows && inks[row * columns + column].isPattern
    }
    guard !free.isEmpty else { return }
    draw(.cityLight, clip: clip) { pen in
      for dot in free { pen.plot(dot.x, dot.y) }
    }
  }
}
