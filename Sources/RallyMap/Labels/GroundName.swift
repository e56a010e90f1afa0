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
