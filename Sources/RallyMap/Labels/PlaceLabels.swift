import Glibc

/// The label candidates of a view, most important first. Computed once per view.
struct PlaceLabels {
  let names: [PlaceName]
  /// Maximum number of cities drawn.
  let cityLimit: Int

  static let none = PlaceLabels(names: [], cityLimit: 0)

  private init(names: [PlaceName], cityLimit: Int) {
    self.names = names
    self.cityLimit = cityLimit
  }

  init(
    _ viewport: Viewport, grid: GridTransform, cities: WorldCities?, countries: [Country],
    options: MapOptions, texts: inout PlaceNameCache
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

  /// Importance bonuses: capitals are placed first, then countries, which have room to spare, then
  /// other cities. A city's own importance is below 26, a country's area term below 30.
  private static let capitalsFirst = 60.0
  /// Below this zoom capitals get no bonus.
  private static let capitalsFromZoom = 1.5
  private static let countriesNext = 30.0

  /// Minimum population of a labelled city at a zoom, interpolated logarithmically between steps.
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

  /// Factor on a capital's population (so Bern ranks before Zürich); grows with zoom, 1.5...8.
  static func capitalWeight(zoom: Double) -> Double { min(max(1.5 + zoom * 2, 1.5), 8) }

  /// Number of cells per labelled city, 60...160: fewer cities when the whole world is visible.
  private static func cells(perCityAt zoom: Double) -> Int {
    Int(min(max(160 - zoom * 33, 60), 160))
  }

  private static func names(
    _ cities: WorldCities, _ viewport: Viewport, _ projection: CellProjection, limit: Int,
    _ texts: inout PlaceNameCache
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
      let world = cities.worldPoint(at: index)
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

  /// Drops cities near a larger one, such as suburbs.
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

  /// A country's name if its area is wider than the text and not more than three times as wide as
  /// the view.
  private static func name(
    _ country: Country, _ viewport: Viewport, _ grid: GridTransform,
    _ projection: CellProjection, _ texts: inout PlaceNameCache
  ) -> PlaceName? {
    guard let label = country.label else { return nil }
    let full = texts.country(country)
    let width = Double(label.width) * grid.scale / 2
    let height = Double(label.height) * grid.scale / 4
    let short = texts.short(country)
    let text = width >= Double(full.width + 1) ? full : short ?? full
    guard width >= Double(text.width + 1), height >= 2,
      width <= Double(viewport.columns) * 3,
      let cell = projection.cell(of: WorldPoint(unitX: Double(label.x), unitY: Double(label.y)))
    else { return nil }
    return PlaceName(
      key: .country(country.id), text: text, isCapital: false,
      column: cell.column, row: cell.row, importance: countriesNext + log2(width * height))
  }
}

/// A city or country name that is a candidate for a label.
struct PlaceName {
  let key: LabelKey
  let text: CellText
  let isCapital: Bool
  /// The cell of the city, or of the centre of the country's label.
  let column: Int
  let row: Int
  /// Placement priority; higher is placed first.
  let importance: Double
}

/// A city or country whose label was drawn.
public struct PlacedName: Hashable, Sendable {
  public enum Place: Hashable, Sendable {
    /// `City.id`
    case city(Int)
    /// `Country.id`
    case country(Int)
    /// A name of a street archive.
    case ground(String)
  }

  public var place: Place
  /// The cells of the name.
  public var span: CellSpan
  /// The cell of the city's dot; for a country the centre of its area, which has no dot.
  public var anchor: CellSpan
}

/// Cache of measured place names, kept for the lifetime of the renderer.
struct PlaceNameCache {
  let measure: (Character) -> Int
  private var cities: [Int: CellText] = [:]
  private var countries: [Int: CellText] = [:]

  /// Common short names of countries whose names are too long for a map, by ISO 3166-1 alpha-2
  /// code.
  private static let shortNames = [
    "US": "USA", "GB": "UK", "AE": "UAE", "CD": "DR CONGO", "CF": "C.A.R.", "BA": "BOSNIA",
    "DO": "DOM. REP.", "PG": "PAPUA N.G.", "NZ": "N. ZEALAND", "SA": "S. ARABIA",
    "ZA": "S. AFRICA", "KR": "S. KOREA", "KP": "N. KOREA", "MK": "N. MACEDONIA",
  ]

  init(measure: @escaping (Character) -> Int) { self.measure = measure }

  mutating func city(_ index: Int, _ all: WorldCities) -> CellText {
    if let known = cities[index] { return known }
    let text = CellText(all.name(at: index), width: measure)
    cities[index] = text
    return text
  }

  /// The country's short name; nil when it has none.
  func short(_ country: Country) -> CellText? {
    country.isoCode.flatMap { Self.shortNames[$0] }.map { CellText($0, width: measure) }
  }

  mutating func country(_ country: Country) -> CellText {
    if let known = countries[country.id] { return known }
    let text = CellText(country.name.uppercased(), width: measure)
    countries[country.id] = text
    return text
  }
}
