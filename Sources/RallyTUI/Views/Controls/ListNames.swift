/// The names of lists in a row, the chosen one underlined; for a screen reader it comes first and
/// says that it is the one.
struct ListNames: View {
  let titles: [String]
  let chosen: Int?
  @Environment(\.isPlain) private var isPlain

  var body: some View {
    Line(
      isPlain
        ? Self.words(titles, chosen: chosen)
        : [Span(" ")]
          + titles.enumerated().map { index, title in
            Span(" \(title) ", index == chosen ? .accent.underline : .dim)
          })
  }

  /// `All 8 is open; In 0; Out 1`
  static func words(_ titles: [String], chosen: Int?) -> [Span] {
    let others = titles.enumerated().filter { $0.offset != chosen }.map(\.element)
    let first = chosen.map { ["\(titles[$0]) is open"] } ?? []
    return [Span((first + others).joined(separator: "; "))]
  }
}
