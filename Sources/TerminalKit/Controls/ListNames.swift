/// A row of list names with the selected one underlined. In plain mode the selected name comes
/// first, marked as open.
package struct ListNames: View {
  let titles: [String]
  let chosen: Int?
  /// Called with the index of the clicked name.
  let onSelect: @MainActor (Int) -> Void
  @Environment(\.isPlain) private var isPlain

  package init(
    titles: [String], chosen: Int?, onSelect: @escaping @MainActor (Int) -> Void = { _ in }
  ) {
    self.titles = titles
    self.chosen = chosen
    self.onSelect = onSelect
  }

  package var body: some View {
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

  /// The plain-mode text: `All 8 is open; In 0; Out 1`.
  static func words(_ titles: [String], chosen: Int?) -> [Span] {
    let others = titles.enumerated().filter { $0.offset != chosen }.map(\.element)
    let first = chosen.map { ["\(titles[$0]) is open"] } ?? []
    return [Span((first + others).joined(separator: "; "))]
  }
}
