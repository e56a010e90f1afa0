import Foundation

/// The names that a view may show, the most important first: chosen once for each view.
struct PlaceNames {
  let names: [PlaceName]
  /// How many of the cities may be drawn.
  let cityLimit: Int

  static let none = PlaceNames(names: [], cityLimit: 0)

  private init(names: [PlaceName], cityLimit: Int) {
    self.names = names
    self.cityLimit = cityLimit
  }

  init(
    _ viewport: Viewport, grid: GridTransform, cities: WorldCities?, countries: [Country],
    options: MapOptions, texts: inout NameTexts
  ) {
    let projection = CellProjection(viewport)
    var names: [PlaceName] = []
    if options.showsCountries {
      for country in countries {
        if let name = Self.name(country, viewport, grid, projection, &texts) { names.append(name) }
      }
    }
    let cells = Self.cells(perCityAt: viewport.zoom)
    cityLimit = max(viewport.columns * viewport.rows / cells, 3)
    if options.showsCities, let cities {
      names += Self.names(cities, viewport, projection, limit: cityLimit * 3, &texts)
    }
    self.names = names.sorted {
      $0.importance == $1.importance ? $0.key < $1.key : $0.importance > $1.importance
    }
  }

  /// Capitals take their room first, then countries, who have some to spare, then all other cities: a
  /// city's own importance is below 26, a country's adds less than 30.
  private static let capitalsFirst = 60.0
  /// On the whole world a capital is a city like others.
  private static let capitalsFromZoom = 1.5
  private static let countriesNext = 30.0

  /// From how many inhabitants on a city is named at a zoom; between the steps it falls evenly.
  static func leastPopulation(zoom: Double) -> Double {
    let steps: [(zoom: Double, population: Double)] = [
      (0, 8_000_000), (1, 2_500_000), (2, 800_000), (3, 250_000), (4, 80_000), (5, 25_000),
      (6, 1),
    ]
    guard zoom > steps[0].zoom else { return steps[0].population }
    for (low, high) in zip(steps, steps.dropFirst()) where zoom <= high.zoom {
      let share = (zoom - low.zoom) / (high.zoom - low.zoom)
      return exp2(log2(low.population) * (1 - share) + log2(high.population) * share)
    }
    return 0
  }

  /// A capital counts as so many times its people, Bern before Zürich, once countries are in sight.
  static func capitalWeight(zoom: Double) -> Double { min(max(1.5 + zoom * 2, 1.5), 8) }

  /// One city for so many cells: the whole world has room for the largest only.
  private static func cells(perCityAt zoom: Double) -> Int {
    Int(min(max(160 - zoom * 33, 60), 160))
  }

  private static func names(
    _ cities: WorldCities, _ viewport: Viewport, _ projection: CellProjection, limit: Int,
    _ texts: inout NameTexts
  ) -> [PlaceName] {
    let least = leastPopulation(zoom: viewport.zoom)
    let capitalWeight = capitalWeight(zoom: viewport.zoom)
    var found: [Candidate] = []
    for index in 0..<cities.count {
      let population = Double(cities.population(at: index))
      if population * capitalWeight < least { break }
      let isCapital = cities.isCapital(at: index)
      let weight = isCapital ? population * capitalWeight : population
      guard weight >= least else { continue }
      let world = WorldPoint(unitX: cities.unitX(at: index), unitY: cities.unitY(at: index))
      guard let cell = projection.cell(of: world) else { continue }
      found.append((index, cell.column, cell.row, weight))
    }
    found.sort { $0.weight == $1.weight ? $0.index < $1.index : $0.weight > $1.weight }
    return spaced(found, limit: limit).map { city in
      let isCapital = cities.isCapital(at: city.index)
      return PlaceName(
        key: .city(city.index), text: texts.city(city.index, cities),
        isCapital: isCapital, column: city.column, row: city.row,
        importance: log2(max(city.weight, 1))
          + (isCapital && viewport.zoom >= capitalsFromZoom ? capitalsFirst : 0))
    }
  }

  /// Leaves out who is near a larger one: suburbs, and the crowd of a conurbation.
  private static func spaced(_ found: [Candidate], limit: Int) -> [Candidate] {
    var kept: [Candidate] = []
    for city in found {
      let isNear = kept.contains { abs($0.column - city.column) < 6 && abs($0.row - city.row) < 2 }
      if !isNear { kept.append(city) }
      if kept.count == limit { break }
    }
    return kept
  }

  private typealias Candidate = (index: Int, column: Int, row: Int, weight: Double)

  /// A country's name where its area is wider than the text, and until it fills the view.
  private static func name(
    _ country: Country, _ viewport: Viewport, _ grid: GridTransform,
    _ projection: CellProjection, _ texts: inout NameTexts
  ) -> PlaceName? {
    guard let label = country.label else { return nil }
    let full = texts.country(country)
    let width = Double(label.width) * grid.scale / 2
    let height = Double(label.height) * grid.scale / 4
    let short = texts.short(country)
    let text = width >= Double(full.width + 1) ? full : short ?? full
    guard width >= Double(text.width + 1), height >= 2,
      width <= Double(viewport.columns) * 3,
      let cell = projection.cell(
        of: WorldPoint(unitX: Double(label.x), unitY: Double(label.y)))
    else { return nil }
    return PlaceName(
      key: .country(country.id), text: text, isCapital: false,
      column: cell.column, row: cell.row, importance: countriesNext + log2(width * height))
  }
}
