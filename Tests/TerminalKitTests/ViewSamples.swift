import Observation

@testable import TerminalKit

struct Person: Identifiable, Hashable {
  let id: Int
  var name: String
}

@MainActor @Observable final class PeopleModel {
  var people: [Person]
  var selected: Int?
  var text = ""
  var number = 0

  init(count: Int = 5) {
    people = (0..<count).map { Person(id: $0, name: "Person \($0)") }
  }
}

/// How often bodies ran.
@MainActor final class BodyRuns {
  var outer = 0
  var inner = 0
}

/// Shows the model's number, and counts the runs of its body.
struct CountedNumber: View {
  let model: PeopleModel
  let runs: BodyRuns

  var body: some View {
    runs.inner += 1
    return Text("\(model.number)")
  }
}

struct PeopleList: View {
  let model: PeopleModel
  var isSelectable: @MainActor (Person) -> Bool = { _ in true }

  var body: some View {
    List(
      model.people, selection: Binding(model, \.selected), isSelectable: isSelectable
    ) { person, isSelected in
      HStack {
        Text(isSelected ? "▸ " : "  ")
        Text(person.name)
      }
    }
  }
}
