import RallyDomain
import RallyWire
import TerminalKit

/// The palette: finds people, missions, places and actions by fuzzy search.
struct PaletteSheet: View {
  let palette: Palette

  @Environment(\.actions) private var actions
  @Environment(\.groundStore) private var groundStore
  @Environment(\.interface) private var interface
  @Environment(\.mapStore) private var mapStore
  @Environment(\.navigationService) private var navigationService
  @Environment(\.paletteState) private var paletteState
  @Environment(\.terminalSize) private var terminalSize
  @State private var text = ""
  @State private var chosen: PaletteItem.Target?

  var body: some View {
    PaletteBox(
      hits: hits, text: typed, selection: Binding(get: { selectedTarget }, set: { chosen = $0 }),
      size: terminalSize, onSubmit: goThere
    )
    .actions(Self.all, in: self)
    .onChange(of: text) {
      groundStore.find($1, near: mapStore.centre ?? mapStore.myPosition?.coordinate)
    }
  }

  private var hits: [PaletteItem] {
    palette.hits(for: text, streets: groundStore.places(matching: text))
  }

  /// Editing the text selects the best hit again.
  private var typed: Binding<String> {
    Binding(
      get: { text },
      set: {
        guard $0 != text else { return }
        text = $0
        chosen = nil
      })
  }

  private var selected: PaletteItem? {
    let hits = hits
    return hits.first { $0.target == chosen } ?? hits.first
  }

  private var selectedTarget: PaletteItem.Target? { selected?.target }

  private func move(by step: Int) {
    chosen = hits.map(\.target).element(after: selectedTarget, step: step)
  }

  // MARK: Actions

  private func goThere() {
    guard let selected else { return }
    close(remembering: selected.target)
    switch selected.target {
    case .person(let id):
      navigationService.showPerson(id)
      if let position = mapStore.position(of: id) {
        interface.say(
          "\(position.profile.handle) is on the map: "
            + "\(actions.table.way(to: PersonActions.onMap.id)) shows where.")
      }
    case .mission(let id): navigationService.showMission(id)
    case .place(let place):
      mapStore.show(
        .place(place.coordinate), scale: place.radiusMetres == nil ? .street : .city)
      navigationService.select(.map)
    case .action(let id):
      if !actions.perform(id) {
        interface.say("“\(selected.title)” cannot be done here.", kind: .warning)
      }
    }
  }

  private func noPosition(of item: PaletteItem?) -> String? {
    guard case .person(let id)? = item?.target else { return "Select a person who is on the map." }
    return mapStore.position(of: id) == nil ? "\(item?.detail ?? "") shows you no position." : nil
  }

  private func showOnMap() {
    guard let target = selectedTarget, case .person(let id) = target else { return }
    close(remembering: target)
    mapStore.showFriend(id)
    navigationService.select(.map)
  }

  private func close(remembering target: PaletteItem.Target) {
    paletteState.picked(target)
    interface.overlay = nil
  }
}

extension PaletteSheet {
  static let next = FeatureAction<Self>(
    id: "pick.next", name: "next-hit", title: "next", summary: "Select the next result.",
    keys: ["^N"], section: "Forms", footer: 30, run: { $0.move(by: 1) })
  static let onMap = FeatureAction<Self>(
    id: "pick.on-map", name: "hit-on-map", title: "on the map",
    summary: "Show where the person found is.", keys: ["^O"], section: "Forms", footer: 40,
    disabled: { $0.noPosition(of: $0.selected) }, run: { $0.showOnMap() })

  static let all: [FeatureAction<Self>] = [
    next,
    FeatureAction(
      id: "pick.previous", name: "previous-hit", title: "previous",
      summary: "Select the result before.", keys: ["^P"], section: "Forms",
      run: { $0.move(by: -1) }),
    onMap,
  ]
}

/// The palette without the environment, so that tests can render it.
struct PaletteBox: View {
  let hits: [PaletteItem]
  let text: Binding<String>
  let selection: Binding<PaletteItem.Target?>
  /// The terminal's size.
  let size: Size
  let onSubmit: @MainActor () -> Void

  static let widest = 84

  var body: some View {
    let query = FuzzyQuery(text.wrappedValue)
    // Without the border and one blank cell on each side.
    let width = max(1, min(size.width, Self.widest) - 4)
    Box(title: "Go to anything") {
      VStack(spacing: 0) {
        HStack(spacing: 0) {
          Text("> ", .accent).frame(width: 2)
          TextField(
            text: text, placeholder: "a person, a mission, a place, or an action", isFocused: true,
            onSubmit: onSubmit)
        }
        .frame(height: 1)
        Rule()
        if hits.isEmpty {
          Text("Nothing has that name.", .dim)
        } else {
          List(hits, id: \.target, selection: selection) { item, isSelected in
            PaletteRow(item: item, query: query, width: width, isSelected: isSelected).line
          }
        }
        Spacer()
        KeyHints([
          (.submit, "go"), (PaletteSheet.next.action, "next"),
          (PaletteSheet.onMap.action, "on the map"), (.back, "close"),
        ])
      }
    }
    .frame(width: min(size.width, Self.widest), height: min(20, size.sheetHeight))
  }
}
