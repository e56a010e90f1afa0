import FoundationEssentials
import RallyDomain
import RallyMap
import RallyWire
import RallyWords

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
