import FoundationEssentials
import RallyDomain
import RallyWire
import TerminalKit

/// Offers what can be done with the selected person, or with all who are marked, and to mark; takes no
/// room.
struct PeopleActions: View {
  let rows: PeopleRows
  let selection: Binding<PeopleRow.ID?>
  /// People who can be marked in addition to those of the store's lists.
  var others: [PersonEntry] = []
  /// Whether people in none of the lists are unmarked.
  var isWhole = true

  @Environment(\.interface) private var interface
  @Environment(\.socialStore) private var socialStore

  var body: some View {
    let marks = interface.friendMarks
    let marked = marked
    if marked.isEmpty {
      SelectedPersonActions(rows: rows, selection: selection)
    } else {
      PeopleBulkActions(marks: marks, people: marked)
    }
    MarkActions(marks: marks, rows: order, selection: selectedPerson)
      .onChange(of: gone(marked)) { marks.remove($1) }
  }

  /// Marked people who are in no list any more. A search unmarks nobody: its results change.
  private func gone(_ marked: [PersonEntry]) -> Set<UUID> {
    guard isWhole else { return [] }
    return interface.friendMarks.ids.subtracting(marked.map(\.id))
  }

  /// Those who are there of those who are marked, in the order of the lists.
  private var marked: [PersonEntry] {
    let ids = interface.friendMarks.ids
    guard !ids.isEmpty else { return [] }
    let known = socialStore.requestEntries.filter { ids.contains($0.id) }
    let friends = socialStore.friends.filter { ids.contains($0.id) }.map {
      PersonEntry(
        profile: $0, status: .friends, askedAt: nil, isInFlight: socialStore.isInFlight($0.id))
    }
    let found = Set((known + friends).map(\.id))
    return known + friends + others.filter { ids.contains($0.id) && !found.contains($0.id) }
  }

  private var order: RowOrder {
    RowOrder(
      count: rows.count,
      id: { if case .person(let id) = rows.id(at: $0) { id } else { nil } },
      position: { rows.position(of: .person($0)) })
  }

  private var selectedPerson: Binding<UUID?> {
    Binding(
      get: {
        guard case .person(let id)? = selection.wrappedValue,
          rows.position(of: .person(id)) != nil
        else { return nil }
        return id
      },
      set: { selection.wrappedValue = $0.map(PeopleRow.ID.person) })
  }
}
