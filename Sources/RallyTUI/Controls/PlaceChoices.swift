import RallyDomain
import TerminalKit

/// Places that a name may mean, one of which is chosen.
struct PlaceChoices: View {
  let places: [Place]
  let onChoose: @MainActor (Place) -> Void

  @State private var selection: Place?

  var body: some View {
    let selected = selected
    VStack(spacing: 0) {
      ForEach(places, id: \.self) { place in
        Line(
          Span(place == selected ? "▸ " : "  "),
          Span(place.title, place == selected ? .selection : .normal)
        )
        .onClick { onChoose(place) }
      }
      Text("")
      KeyHints(joined: [([.submit], "take it"), ([.back], "none of them")])
    }
    .onKey(KeyChord(.down)) { move(by: 1) }
    .onKey(KeyChord(.up)) { move(by: -1) }
    .onAction(.submit) { if let selected { onChoose(selected) } }
  }

  private var selected: Place? {
    selection.flatMap { places.contains($0) ? $0 : nil } ?? places.first
  }

  private func move(by step: Int) -> Bool {
    let index = selected.flatMap(places.firstIndex) ?? 0
    guard !places.isEmpty else { return false }
    selection = places[(index + step + places.count) % places.count]
    return true
  }
}
