import RallyDomain
import RallySystem
import RallyWire
import TerminalKit

/// People at the left, the selected one at the right; on a narrow screen one at a time.
struct PeoplePanes: View {
  let rows: PeopleRows
  let selection: Binding<PeopleRow.ID?>
  /// Shown when there are no rows.
  let emptyText: String
  /// What the rows are the answer to: other rows for another question are not new.
  var question: AnyHashable = 0
  /// Whether friends' rows say where they are.
  var hasFacts = false
  var isListActive = true

  @Environment(\.terminalSize) private var terminalSize
  @Environment(\.paneLayoutService) private var paneLayoutService
  @Environment(\.navigationService) private var navigationService
  @Environment(\.isPlain) private var isPlain

  var body: some View {
    if !isPlain, let detail = paneLayoutService.width(of: .friends, in: terminalSize.width) {
      SplitPanes(
        sideWidth: detail,
        onDrag: { paneLayoutService.widen(.friends, by: $0, in: terminalSize.width) }
      ) {
        let room = terminalSize.width - detail - 1
        if let map = PaneWidths.map(of: .friends, in: terminalSize.width, detail: detail) {
          SplitPanes(sideWidth: map) {
            list(width: room - map - 1)
          } side: {
            FriendsMap(selectedID: selection)
          }
        } else {
          list(width: room)
        }
      } side: {
        PersonDetail(selectedIn: rows, selection)
          .frame(width: detail)
          .frame(maxHeight: .max, alignment: .topLeading)
      }
    } else if case .person(let id) = navigationService.route,
      let opened = rows.entry(of: .person(id))
    {
      PersonDetail(entry: opened).anchorsCursor().frame(maxWidth: .max).scrollsIfTooHigh().frame(
        maxHeight: .max, alignment: .topLeading)
    } else {
      list(width: terminalSize.width)
      SelectedPersonOpening(rows: rows, selection: selection)
    }
  }
}

extension PeoplePanes {
  fileprivate func list(width: Int) -> some View {
    PeopleList(
      rows: rows, selection: selection, emptyText: emptyText, question: question,
      hasFacts: hasFacts, width: width, isActive: isListActive)
  }
}

/// Opens the selected person instead of the list if there is no room for both.
private struct SelectedPersonOpening: View {
  let rows: PeopleRows
  let selection: Binding<PeopleRow.ID?>

  @Environment(\.navigationService) private var navigationService

  var body: some View {
    let selected = rows.selected(selection.wrappedValue)
    EmptyView()
      .onAction(.open, if: selected?.status != FriendshipStatus.none && selected != nil) {
        if let selected { navigationService.push(.person(selected.id)) }
      }
  }
}

private struct PeopleList: View {
  let rows: PeopleRows
  let selection: Binding<PeopleRow.ID?>
  let emptyText: String
  let question: AnyHashable
  let hasFacts: Bool
  let width: Int
  let isActive: Bool
  @Environment(\.isPlain) private var isPlain
  @Environment(\.ageClock) private var ageClock
  @Environment(\.interface) private var interface
  @Environment(\.locationSharingStore) private var locationSharingStore
  @Environment(\.mapGlyphs) private var mapGlyphs
  @Environment(\.mapStore) private var mapStore
  @Environment(\.placeNames) private var placeNames
  @Environment(\.placeClocks) private var placeClocks
  @State private var factsIndex = PersonFactsIndex()

  var body: some View {
    let marks = interface.friendMarks
    let columns = PeopleColumns(width: width, hasFacts: isAnythingShown && !isPlain)
    let now = ageClock.now
    let me = hasFacts ? mapStore.myPosition : nil
    let index = currentIndex
    VStack(spacing: 0) {
      if rows.isEmpty {
        Paragraph(emptyText, .dim).padding(horizontal: 2, vertical: 1)
      } else {
        List(
          rows, id: \.id, selection: selection, isActive: isActive,
          finding: RowLookup(
            question: question, position: { rows.position(of: $0) }, id: { rows.id(at: $0) }),
          isSelectable: { $0.entry != nil }
        ) { row, isSelected in
          if isPlain {
            let isMarked = row.entry.map { marks.contains($0.id) } ?? false
            Line(
              Span(
                (isMarked ? "marked, " : "")
                  + row.sentence(
                    facts: facts(of: row, in: index, from: me, at: now), at: now,
                    names: placeNames, clocks: placeClocks),
                row.entry == nil ? .title : .normal))
          } else {
            columns.line(
              for: row, isSelected: isSelected,
              isMarked: row.entry.map { marks.contains($0.id) } ?? false,
              facts: facts(of: row, in: index, from: me, at: now), glyphs: mapGlyphs, at: now,
              names: placeNames, clocks: placeClocks)
          }
        }
      }
    }
    .frame(maxWidth: .max, maxHeight: .max, alignment: .topLeading)
    .aging(if: columns.clock > 0 || rows.showsAge)
    .onChange(of: firstPerson) { _, first in
      if selection.wrappedValue == nil { selection.wrappedValue = first }
    }
    .task {
      if selection.wrappedValue == nil { selection.wrappedValue = firstPerson }
    }
  }

  /// Whether a friend shows me where they are, or sees where I am.
  private var isAnythingShown: Bool {
    hasFacts
      && (!mapStore.positions.isEmpty || locationSharingStore.summary?.sharedCount ?? 0 > 0)
  }

  /// Nil for rows that say nothing of where people are.
  private var currentIndex: PersonFactsIndex? {
    guard hasFacts else { return nil }
    factsIndex.update(positions: mapStore.positions, sharing: locationSharingStore.sharing)
    return factsIndex
  }

  private func facts(
    of row: PeopleRow, in index: PersonFactsIndex?, from me: LocationFix?, at now: WireTime
  ) -> PersonFacts {
    guard let index, let entry = row.entry, entry.status == .friends else { return PersonFacts() }
    return index.facts(of: entry.id, from: me, at: now)
  }

  private var firstPerson: PeopleRow.ID? { rows.first { $0.entry != nil }?.id }
}
