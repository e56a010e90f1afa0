import Foundation
import RallyDomain
import RallyWire

/// People at the left, the selected one at the right; on a narrow screen one at a time.
struct PeoplePanes: View {
  let rows: [PeopleRow]
  let selection: Binding<PeopleRow.ID?>
  /// What stands in place of rows when there are none.
  let emptyText: String
  var isListActive = true

  @Environment(\.terminalSize) private var terminalSize
  @Environment(\.navigationService) private var navigationService
  @Environment(\.isPlain) private var isPlain

  /// From this width on the list and the person stand beside each other.
  static let twoPaneWidth = 76

  var body: some View {
    if terminalSize.width >= Self.twoPaneWidth, !isPlain {
      let detail = min(max(terminalSize.width * 2 / 5, 26), 40)
      HStack(spacing: 0) {
        PeopleList(
          rows: rows, selection: selection, emptyText: emptyText,
          width: terminalSize.width - detail - 1, isActive: isListActive)
        VerticalRule()
        SelectedPersonDetail(rows: rows, selection: selection)
          .frame(width: detail)
          .frame(maxHeight: .max, alignment: .topLeading)
      }
    } else if case .person(let id) = navigationService.route,
      let opened = rows.first(where: { $0.entry?.id == id })?.entry
    {
      PersonDetail(entry: opened).parksCursor().frame(
        maxWidth: .max, maxHeight: .max, alignment: .topLeading)
    } else {
      PeopleList(
        rows: rows, selection: selection, emptyText: emptyText, width: terminalSize.width,
        isActive: isListActive
      )
      SelectedPersonOpening(rows: rows, selection: selection)
    }
  }
}

/// The detail of whom the list selects; only this runs again when the selection moves.
private struct SelectedPersonDetail: View {
  let rows: [PeopleRow]
  let selection: Binding<PeopleRow.ID?>

  var body: some View { PersonDetail(entry: rows.entry(of: selection.wrappedValue)) }
}

/// Opens the selected person over the list, where there is no room beside it.
private struct SelectedPersonOpening: View {
  let rows: [PeopleRow]
  let selection: Binding<PeopleRow.ID?>

  @Environment(\.navigationService) private var navigationService

  var body: some View {
    let selected = rows.entry(of: selection.wrappedValue)
    EmptyView()
      .onAction(.open, if: selected?.status != FriendshipStatus.none && selected != nil) {
        if let selected { navigationService.push(.person(selected.id)) }
      }
  }
}

private struct PeopleList: View {
  let rows: [PeopleRow]
  let selection: Binding<PeopleRow.ID?>
  let emptyText: String
  let width: Int
  let isActive: Bool
  @Environment(\.isPlain) private var isPlain

  var body: some View {
    let columns = PeopleColumns(width: width)
    let now = WireTime.now
    VStack(spacing: 0) {
      if rows.isEmpty {
        Paragraph(emptyText, .dim).padding(horizontal: 2, vertical: 1)
      } else {
        List(
          rows, id: \.id, selection: selection, isActive: isActive,
          isSelectable: { $0.entry != nil }
        ) { row, isSelected in
          if isPlain {
            Line(Span(row.sentence(at: now), row.entry == nil ? .title : .normal))
          } else {
            columns.line(for: row, isSelected: isSelected, at: now)
          }
        }
      }
    }
    .frame(maxWidth: .max, maxHeight: .max, alignment: .topLeading)
    .onChange(of: firstPerson) { _, first in
      if selection.wrappedValue == nil { selection.wrappedValue = first }
    }
    .task {
      if selection.wrappedValue == nil { selection.wrappedValue = firstPerson }
    }
  }

  private var firstPerson: PeopleRow.ID? { rows.first { $0.entry != nil }?.id }
}
