/// Names cut into cells, kept for as long as the renderer lives.
struct NameTexts {
  let measure: (Character) -> Int
  private var cities: [Int: CellText] = [:]
  private var countries: [Int: CellText] = [:]

  /// What people call those whose names are too long for a map.
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

  /// A shorter name than the country's own; nil where there is none in use.
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
