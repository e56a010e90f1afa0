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

  init(measure: @escaping (Character) -> Int) {
    self.measure = measure
  }

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
