import Foundation
import RallyDomain
import RallyWire

/// A person in a list, with how we stand to each other now.
struct PersonEntry: Hashable, Identifiable {
  var profile: CommunityProfile
  var status: FriendshipStatus
  /// When the request was made; nil for friends and strangers.
  var askedAt: WireTime?
  /// Something of this person is on its way to the server.
  var isSettling: Bool

  var id: UUID { profile.id }
}

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

extension [PeopleRow] {
  /// The person of the row with this id.
  func entry(of id: PeopleRow.ID?) -> PersonEntry? {
    id.flatMap { id in first { $0.id == id }?.entry }
  }
}

/// The columns of a row, in cells, for the width that the list has.
struct PeopleColumns: Hashable {
  var name: Int
  var handle: Int
  var note: Int

  /// Cells before the name: a blank, the mark of the selection, the glyph, two blanks.
  static let lead = 4

  init(width: Int) {
    note = width >= 52 ? 12 : 8
    let room = max(0, width - Self.lead - note - 2)
    handle = min(room * 2 / 5, 25)
    name = room - handle
  }

  /// One line that is exactly as wide as the columns.
  @MainActor
  func line(for row: PeopleRow, isSelected: Bool, at now: WireTime) -> Line {
    switch row {
    case .heading(let text): return Line(Span(" \(text)", .title))
    case .person(let entry):
      let mark = PersonMark(entry)
      return Line(
        Span(isSelected ? "▸" : " "), Span(" "),
        Span(mark.glyph, mark.style), Span(" "),
        Span(
          entry.profile.displayName.truncated(toCells: name).padded(toCells: name),
          entry.status == .incoming ? .normal.bold : .normal),
        Span(" "),
        Span(entry.profile.handle.truncated(toCells: handle).padded(toCells: handle), .dim),
        Span(" "), Span(Self.leadingPadded(entry.note(at: now), note), .dim))
    }
  }

  private static func leadingPadded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.cellWidth)) + text
  }
}

extension PeopleRow {
  /// A whole row in words, for a screen reader: `Ana Pereira @ana, asks you, 2h ago`.
  func sentence(at now: WireTime) -> String {
    switch self {
    case .heading(let text): return text
    case .person(let entry):
      let asked = entry.askedAt.map { Age.sentence($0, at: now) }
      let standing: [String?] =
        switch entry.status {
        case .incoming: ["asks you", asked]
        case .outgoing: ["you asked", asked]
        case .blocked: ["blocked"]
        case .none: ["not a friend"]
        case .friends where entry.profile.isOnline: ["online"]
        case .friends:
          [entry.profile.lastSeen.map { "seen \(Age.sentence($0, at: now))" } ?? "offline"]
        }
      let name = "\(entry.profile.displayName) \(entry.profile.handle)"
      return ([name] + standing + [entry.isSettling ? "sending" : nil])
        .compactMap(\.self).joined(separator: ", ")
    }
  }
}

/// Glyph and colour of how somebody stands; the glyph alone says it too.
struct PersonMark {
  var glyph: String
  var style: Style

  init(_ entry: PersonEntry) {
    if entry.isSettling {
      (glyph, style) = ("~", .warning)
      return
    }
    switch entry.status {
    case .incoming: (glyph, style) = ("?", .accent.bold)
    case .outgoing: (glyph, style) = (">", .dim)
    case .blocked: (glyph, style) = ("x", .danger)
    case .friends where entry.profile.isOnline: (glyph, style) = ("●", .success)
    case .friends: (glyph, style) = ("○", .dim)
    case .none: (glyph, style) = ("·", .dim)
    }
  }
}

extension PersonEntry {
  /// The last column: when somebody asked, or was seen.
  func note(at now: WireTime) -> String {
    if isSettling { return "sending" }
    switch status {
    case .incoming, .outgoing: return askedAt.map { Age.short($0, at: now) } ?? ""
    case .friends where profile.isOnline: return "online"
    case .friends: return profile.lastSeen.map { Age.short($0, at: now) } ?? ""
    case .blocked: return "blocked"
    case .none: return ""
    }
  }
}

extension SocialStore {
  /// A person of a list with how they stand now, whatever the list said when it was fetched.
  func entry(for profile: CommunityProfile) -> PersonEntry {
    let incoming = incomingRequests.first { $0.id == profile.id }
    let outgoing = outgoingRequests.first { $0.id == profile.id }
    let friend = friends.first { $0.id == profile.id }
    let status: FriendshipStatus =
      if friend != nil {
        .friends
      } else if incoming != nil {
        .incoming
      } else if outgoing != nil {
        .outgoing
      } else if profile.friendshipStatus == .blocked {
        .blocked
      } else {
        .none
      }
    return PersonEntry(
      profile: friend ?? profile, status: status,
      askedAt: (incoming ?? outgoing)?.createdAt, isSettling: isSettling(profile.id))
  }

  /// The rows of a list of the Friends tab, filtered.
  func rows(of section: FriendsSection, filter: String) -> [PeopleRow] {
    func requests(_ items: [FriendRequestItem], _ status: FriendshipStatus) -> [PeopleRow] {
      items.filter { $0.profile.matches(filter) }.map {
        .person(
          PersonEntry(
            profile: $0.profile, status: status, askedAt: $0.createdAt,
            isSettling: isSettling($0.id)))
      }
    }
    func friendRows(where isIncluded: (CommunityProfile) -> Bool) -> [PeopleRow] {
      filteredFriends(query: filter).filter(isIncluded).map {
        .person(
          PersonEntry(profile: $0, status: .friends, askedAt: nil, isSettling: isSettling($0.id)))
      }
    }
    func headed(_ title: String, _ rows: [PeopleRow]) -> [PeopleRow] {
      rows.isEmpty ? [] : [.heading("\(title) (\(rows.count))")] + rows
    }
    switch section {
    case .all:
      return headed("Requests for you", requests(incomingRequests, .incoming))
        + headed("Online", friendRows(where: \.isOnline))
        + headed("Friends", friendRows { !$0.isOnline })
        + headed("You asked", requests(outgoingRequests, .outgoing))
    case .incoming: return requests(incomingRequests, .incoming)
    case .outgoing: return requests(outgoingRequests, .outgoing)
    case .blocked, .find: return []
    }
  }
}
