import FoundationEssentials
import RallyDomain
import RallySystem
import RallyWire

/// What is said of a position, in the words of the list and of the detail.
public enum PositionFormatter {
  /// One sentence with all that the map would show, for a reader of lists.
  ///
  /// - Parameters:
  ///   - place: The nearest city's name.
  ///   - me: From where the distance and the direction are counted.
  public static func sentence(
    on position: FriendPosition, at now: WireTime, near place: String?, from me: LocationFix?
  ) -> String {
    [
      "\(position.profile.displayName) @\(position.profile.username)", place,
      distance(of: position, from: me), exactness(of: position), age(of: position, at: now),
    ]
    .compactMap(\.self).joined(separator: ", ")
  }

  /// `2 minutes ago`; of a coarse position `within 15 min`, later since when somebody is in the
  /// area at the latest.
  package static func age(of position: FriendPosition, at now: WireTime) -> String {
    if position.precision == .precise { return Age.sentenceByMinute(position.recordedAt, at: now) }
    if let within = Age.within(quarter: position.recordedAt, at: now) { return within }
    let day = WireTime(microseconds: now.microseconds - 86_400_000_000)
    let since = position.latestTime
    return since > day ? "here since \(LocalTime.clock(since))" : "here since \(Age.day(since))"
  }

  /// The same in the few cells of a list: `3m`, `<15m`, `2h`.
  package static func shortAge(of position: FriendPosition, at now: WireTime) -> String {
    position.precision == .precise
      ? Age.shortByMinute(position.recordedAt, at: now)
      : Age.short(quarter: position.recordedAt, at: now)
  }

  /// `±15 m`, `within about 1 km`.
  package static func exactness(of position: FriendPosition) -> String {
    switch position.precision {
    case .approximate10km: "within about 10 km"
    case .approximate1km: "within about 1 km"
    case .precise, .off:
      position.accuracyMetres.map { "±\(accuracy($0))" } ?? "precise"
    }
  }

  private static func accuracy(_ metres: Double) -> String {
    metres < 1000 ? "\(Int(metres.rounded())) m" : GeoText.distance(metres)
  }

  /// `140 m NE of you`, `within 10 km of you`: no more than is known.
  package static func distance(of position: FriendPosition, from me: LocationFix?) -> String? {
    guard let me else { return nil }
    let way = position.way(from: me.coordinate)
    return way == "here" ? "where you are" : "\(way) of you"
  }

  /// `walking 4 km/h NE`; nil if the friend does not move or sends no speed.
  package static func movement(of position: FriendPosition) -> String? {
    guard position.isMoving, let speed = position.speed.flatMap(GeoText.speed) else { return nil }
    return position.course.map { "\(speed) \(GeoText.compass($0))" } ?? speed
  }

  /// What this friend sees of me.
  @MainActor package static func sharing(
    with friendID: UUID, in store: LocationSharingStore, at now: WireTime
  ) -> String {
    guard let setting = store.sharing?.setting(for: friendID, at: now) else { return "" }
    return "sees of you: \(setting.sentence(at: now))"
  }
}

extension LocationChoice.Candidate {
  /// What it says: state, accuracy and age, without the position.
  ///
  /// - Parameter age: Formats the age of a fix.
  public func summary(age: (WireTime) -> String) -> String {
    [
      state?.sentence,
      fix?.accuracyMetres.map { "within \(Self.metres($0))" },
      arrivedAt.map(age),
    ].compactMap(\.self).joined(separator: " · ")
  }

  /// As it was measured up to a kilometre: `17 m`.
  private static func metres(_ accuracy: Double) -> String {
    accuracy < 1000 ? "\(Int(accuracy.rounded(.up))) m" : GeoText.distance(accuracy)
  }
}

extension SentReport {
  /// `sent 2 minutes ago as 1 km, from gpsd`.
  public func sentence(age: (WireTime) -> String) -> String {
    "sent \(age(at)) as \(precision.title), from \(source)"
  }
}

/// How a phone is written.
public enum PhoneText {
  /// When it reported last, or that it did not yet: `reported 4m ago`.
  public static func report(of phone: PhoneRecord, at now: WireTime) -> String {
    guard let time = phone.lastPostAt else { return "has not reported yet" }
    return "reported \(Age.sentence(time, at: now))"
  }

  /// What was wrong with a position of it last: `refused 2h ago: the clock is 3 h ahead`.
  public static func problem(of phone: PhoneRecord, at now: WireTime) -> String? {
    guard let problem = phone.problem else { return nil }
    let time = phone.problemAt.map { " \(Age.sentence($0, at: now))" } ?? ""
    return "refused\(time): \(problem)"
  }
}
