import FoundationEssentials
import RallyDomain
import RallyMap
import RallySystem
import RallyWire
import RallyWords
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

/// What stands beside a friend's name: where they are, and what each of us shows the other.
struct PersonFacts: Hashable {
  /// Where they let me know they are; nil while they show me nothing.
  var position: FriendPosition?
  /// What they see of me; nil before it is known.
  var sharing: SharingSetting?
  /// From where distances are counted; nil if that is not known.
  var me: LocationFix?
}

extension PersonFacts {
  /// `140 m ↗`, `~20 km ←`, `<10 km`: no more than is known; empty without a position of both.
  func way(_ glyphs: GlyphSet) -> String {
    guard let position, let me else { return "" }
    let way = position.way(from: me.coordinate) {
      String(CompassPoint(bearing: $0).arrow(glyphs))
    }
    for (word, mark) in [("about ", "~"), ("within ", "<")] where way.hasPrefix(word) {
      return mark + way.dropFirst(word.count)
    }
    return way
  }

  /// `▮▮▯⇄▯▯▯`: how exactly they show me where they are, and how exactly they see me; empty where
  /// neither shows anything.
  var exchange: String {
    guard let sharing = shownSharing else { return "" }
    return "\(Self.bar(position?.precision ?? .off))⇄\(Self.bar(sharing.mode))"
  }

  /// How long they see it yet: `5m`, `2h`, `3d`, begun ones counted; empty without an end.
  func timeLeft(at now: WireTime) -> String {
    guard let until = shownSharing?.until, until > now else { return "" }
    let minutes = (until.since(now).components.seconds + 59) / 60
    if minutes < 60 { return "\(minutes)m" }
    return minutes <= 24 * 60
      ? "\((minutes + 59) / 60)h" : "\((minutes + 24 * 60 - 1) / (24 * 60))d"
  }

  /// What they see of me, where either of us shows something.
  private var shownSharing: SharingSetting? {
    max(sharing?.mode ?? .off, position?.precision ?? .off) > .off ? sharing : nil
  }

  private static func bar(_ mode: SharingMode) -> String {
    switch mode {
    case .off: "▯▯▯"
    case .approximate10km: "▮▯▯"
    case .approximate1km: "▮▮▯"
    case .precise: "▮▮▮"
    }
  }

  /// The same in words, for a reader of lists.
  func words(
    at now: WireTime, names: PlaceNames = .shared, clocks: PlaceClocks = .shared
  ) -> [String] {
    var words: [String] = []
    if let position {
      words += [
        names.name(at: position.coordinate),
        clocks.hour(at: position, now: now)?.words,
        PositionFormatter.distance(of: position, from: me), "shows you \(position.precision.title)",
      ].compactMap(\.self)
    }
    if let sharing = shownSharing {
      words.append("sees of you \(sharing.sentence(at: now))")
    }
    return words
  }
}

/// Finds the facts of a friend in lists of thousands, of which a few are on the screen.
final class PersonFactsIndex {
  private var positions: [FriendPosition] = []
  private var sharing: SharingTable?
  private var positionPlaces = KnownPlaces()
  private var sharingPlaces = KnownPlaces()

  /// Takes new lists, at no cost: who is asked about is looked for then.
  func update(positions: [FriendPosition], sharing: SharingTable?) {
    (self.positions, self.sharing) = (positions, sharing)
  }

  func facts(of friend: UUID, from me: LocationFix?, at now: WireTime) -> PersonFacts {
    let position = positionPlaces.place(of: friend, in: positions.indices) { positions[$0].id }
      .flatMap { positions[$0].isShown(at: now) ? positions[$0] : nil }
    let setting = sharing.flatMap { table in
      sharingPlaces.place(of: friend, in: table.friends.indices) { table.friends[$0].id }
        .map { table.setting(of: table.friends[$0], at: now) }
    }
    return PersonFacts(position: position, sharing: setting, me: me)
  }
}

/// Where people stood in a list when they were looked up last: in the next list most stand there or
/// beside it. A dictionary of thousands takes longer than to look for a few.
struct KnownPlaces {
  private var places: [UUID: Int] = [:]
  /// Far more than are on a screen.
  private static let most = 1000

  /// - Parameter id: Of who stands at a place.
  /// - Returns: nil for somebody who is not in the list.
  mutating func place(of person: UUID, in list: Range<Int>, id: (Int) -> UUID) -> Int? {
    if let known = places[person] {
      for distance in 0...8 {
        for place in [known - distance, known + distance]
        where list.contains(place) && id(place) == person {
          places[person] = place
          return place
        }
      }
    }
    let place = list.first { id($0) == person }
    if places.count >= Self.most { places = [:] }
    places[person] = place
    return place
  }
}
