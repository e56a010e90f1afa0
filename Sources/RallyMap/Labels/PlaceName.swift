/// A city's or a country's name that may be drawn in a view.
struct PlaceName {
  let key: LabelKey
  let text: CellText
  let isCapital: Bool
  /// The cell of the city, or of the middle of the country's name.
  let column: Int
  let row: Int
  /// What is placed first: more is earlier.
  let importance: Double
}
