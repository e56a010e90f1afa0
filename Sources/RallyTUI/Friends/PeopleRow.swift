import FoundationEssentials
import RallyDomain
import RallySystem
import RallyWire

/// A heading or a person.
enum PeopleRow: Hashable, Identifiable {
  case heading(String)
  case person(PersonEntry)

  enum ID: Hashable {
    case heading(String)
    case person(UUID)
  }

  var id: ID {
    switch self {
    case .heading(let text): .heading(text)
    case .person(let entry): .person(entry.id)
    }
  }

  var entry: PersonEntry? { if case .person(let entry) = self { entry } else { nil } }
}

extension PeopleRow {
  /// A whole row in words, for a screen reader: `Ana Pereira @ana, wants to be friends, 2h ago`.
  ///
  /// - Parameter facts: Of a friend.
  @MainActor func sentence(
    facts: PersonFacts = PersonFacts(), at now: WireTime, names: PlaceNames = .shared,
    clocks: PlaceClocks = .shared
  ) -> String {
    switch self {
    case .heading(let text): return text
    case .person(let entry):
      let asked = entry.askedAt.map { Age.sentenceByMinute($0, at: now) }
      let status: [String?] =
        switch entry.status {
        case .incoming: ["wants to be friends", asked]
        case .outgoing: ["you asked", asked]
        case .blocked: ["blocked"]
        case .none: ["not a friend"]
        case .friends where entry.profile.isOnline: ["online"]
        case .friends:
          [entry.profile.lastSeen.map { "seen \(Age.sentenceByMinute($0, at: now))" } ?? "offline"]
        }
      let name = "\(entry.profile.displayName) \(entry.profile.handle)"
      let questions = entry.questions(at: now).map(Optional.some)
      return
        ([name] + questions + status + facts.words(at: now, names: names, clocks: clocks) + [
          entry.isInFlight ? "sending" : nil
        ])
        .compactMap(\.self).joined(separator: ", ")
    }
  }
}
