/// The names of lists in a row, the chosen one underlined; for a screen reader it comes first and
/// says that it is the one.
struct ListNames: View {
  let titles: [String]
  let chosen: Int?
  /// Which one was clicked.
  let onSelect: @MainActor (Int) -> Void
  @Environment(\.isPlain) private var isPlain

  init(
    titles: [String], chosen: Int?, onSelect: @escaping @MainActor (Int) -> Void = { _ in }
  ) {
    self.titles = titles
    self.chosen = chosen
    self.onSelect = onSelect
  }

  var body: some View {
    if isPlain {
      Line(Self.words(titles, chosen: chosen))
    } else {
      ClickLine(
        [ClickLine.Part(Span(" "))]
          + titles.enumerated().map { index, title in
            ClickLine.Part(Span(" \(title) ", index == chosen ? .accent.underline : .dim)) {
              onSelect(index)
            }
          })
    }
  }

  /// `All 8 is open; In 0; Out 1`
  static func words(_ titles: [String], chosen: Int?) -> [Span] {
    let others = titles.enumerated().filter { $0.offset != chosen }.map(\.element)
    let first = chosen.map { ["\(titles[$0]) is open"] } ?? []
    return [Span((first + others).joined(separator: "; "))]
  }
}
