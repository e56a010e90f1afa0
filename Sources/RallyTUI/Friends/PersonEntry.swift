import FoundationEssentials
import RallyDomain
import RallyWire
import TerminalKit

/// A person in a list, with how we stand to each other now.
struct PersonEntry: Hashable, Identifiable {
  var profile: CommunityProfile
  var status: FriendshipStatus
  /// When the request was made; nil for friends and strangers.
  var askedAt: WireTime?
  /// Something of this person is on its way to the server.
  var isInFlight: Bool
  /// When the friend asked where I am; nil unless that waits for an answer.
  var asksSince: WireTime?
  /// When I asked the friend where they are; nil if I did not lately.
  var locationAskedAt: WireTime?

  var id: UUID { profile.id }
}

extension CommunityProfile {
  /// Whether a friend's row says how long ago they were there.
  var showsLastSeen: Bool { !isOnline && lastSeen != nil }
}

/// Glyph and colour of a person's status; the glyph is unambiguous without colour.
struct PersonMark {
  var glyph: String
  var style: Style

  init(_ entry: PersonEntry) {
    if entry.isInFlight {
      (glyph, style) = ("~", .warning)
      return
    }
    switch entry.status {
    case .friends where entry.asksSince != nil: (glyph, style) = ("?", .accent.bold)
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
  /// Whether `note` or `PeopleRow.sentence` says how long ago something was.
  var showsAge: Bool {
    if asksSince != nil || locationAskedAt != nil { return true }
    return switch status {
    case .incoming, .outgoing: askedAt != nil
    case .friends: profile.showsLastSeen
    case .blocked, .none: false
    }
  }

  /// Who of us asked the other where they are, for a narrow pane: `you asked 2 minutes ago`.
  func shortQuestions(at now: WireTime) -> [String] {
    [
      asksSince.map { _ in "asks where you are" },
      locationAskedAt.map { "you asked \(Age.sentenceByMinute($0, at: now))" },
    ].compactMap(\.self)
  }

  /// The same for a screen reader: `asks where you are, 2 minutes ago`.
  func questions(at now: WireTime) -> [String] {
    [
      asksSince.map { "asks where you are, \(Age.sentenceByMinute($0, at: now))" },
      locationAskedAt.map { "you asked where they are, \(Age.sentenceByMinute($0, at: now))" },
    ].compactMap(\.self)
  }

  /// The last column: when somebody asked, or was seen.
  func note(at now: WireTime) -> String {
    if isInFlight { return "sending" }
    if let asksSince { return Age.shortByMinute(asksSince, at: now) }
    switch status {
    case .incoming, .outgoing: return askedAt.map { Age.shortByMinute($0, at: now) } ?? ""
    case .friends where profile.isOnline: return "online"
    case .friends: return profile.lastSeen.map { Age.shortByMinute($0, at: now) } ?? ""
    case .blocked: return "blocked"
    case .none: return ""
    }
  }
}

extension SocialStore {
  /// People of a list with how they stand now, whatever the list said when it was fetched.
  func entries(for people: [CommunityProfile]) -> [PersonEntry] {
    guard !people.isEmpty else { return [] }
    let ids = Set(people.map(\.id))
    func known<Item: Identifiable>(_ items: [Item]) -> [UUID: Item] where Item.ID == UUID {
      Dictionary(
        items.lazy.filter { ids.contains($0.id) }.map { ($0.id, $0) },
        uniquingKeysWith: { first, _ in first })
    }
    let friends = known(friends)
    let incoming = known(incomingRequests)
    let outgoing = known(outgoingRequests)
    let asks = locationAsks
    return people.map { profile in
      let id = profile.id
      let status: FriendshipStatus =
        if friends[id] != nil {
          .friends
        } else if incoming[id] != nil {
          .incoming
        } else if outgoing[id] != nil {
          .outgoing
        } else if profile.friendshipStatus == .blocked {
          .blocked
        } else {
          .none
        }
      return PersonEntry(
        profile: friends[id] ?? profile, status: status,
        askedAt: (incoming[id] ?? outgoing[id])?.createdAt, isInFlight: isInFlight(id),
        asksSince: asks.incoming[id], locationAskedAt: asks.outgoing[id])
    }
  }

  /// Incoming friend requests, then outgoing ones.
  var requestEntries: [PersonEntry] {
    func entries(_ items: [FriendRequestItem], _ status: FriendshipStatus) -> [PersonEntry] {
      items.map {
        PersonEntry(
          profile: $0.profile, status: status, askedAt: $0.createdAt,
          isInFlight: isInFlight($0.id))
      }
    }
    return entries(incomingRequests, .incoming) + entries(outgoingRequests, .outgoing)
  }
}
