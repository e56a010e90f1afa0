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
