import Foundation
import RallyDomain
import RallyWire

/// Everything that a friend lets one know of where they are.
struct PositionDetail: View {
  let position: FriendPosition
  let now: WireTime

  @Environment(\.mapStore) private var mapStore
  @Environment(\.locationSharingStore) private var locationSharingStore

  var body: some View {
    let me = mapStore.myPosition
    VStack(spacing: 0) {
      Text(position.profile.displayName, .title)
      Text(position.profile.handle, .dim)
      Text(PositionWords.age(of: position, at: now))
      Text(PositionWords.exactness(of: position))
      if let place = PlaceNames.shared.place(at: position.coordinate) { Text(place.title) }
      if let distance = PositionWords.distance(of: position, from: me) { Text(distance) }
      if let movement = PositionWords.movement(of: position) { Text(movement) }
      if let battery = position.battery { Text("battery \(Int(battery.rounded()))%", .dim) }
      Text(PositionWords.sharing(with: position.id, in: locationSharingStore, at: now), .dim)
    }
    .padding(horizontal: 1)
  }
}

/// What is said of a position, in the words of the list and of the detail.
public enum PositionWords {
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

  /// `2 minutes ago`; a coarse position says since when somebody is in the area.
  static func age(of position: FriendPosition, at now: WireTime) -> String {
    if position.precision == .precise { return Age.sentence(position.recordedAt, at: now) }
    let day = WireTime(microseconds: now.microseconds - 86_400_000_000)
    return position.recordedAt > day
      ? "here since \(LocalTime.clock(position.recordedAt))"
      : "here since \(Age.day(position.recordedAt))"
  }

  /// `±15 m`, `within about 1 km`.
  static func exactness(of position: FriendPosition) -> String {
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

  /// `140 m NE of you`, as far as that can be told.
  static func distance(of position: FriendPosition, from me: LocationFix?) -> String? {
    guard let me else { return nil }
    let metres = me.coordinate.distance(to: position.coordinate)
    let words = GeoText.distance(metres)
    if words == "here" { return "where you are" }
    let about = position.precision == .precise ? "" : "about "
    guard let bearing = me.coordinate.bearing(to: position.coordinate) else { return about + words }
    return "\(about)\(words) \(GeoText.compass(bearing)) of you"
  }

  /// `walking 4 km/h NE`; nil for one who stands still or does not say.
  static func movement(of position: FriendPosition) -> String? {
    guard position.isMoving, let speed = position.speed.flatMap(GeoText.speed) else { return nil }
    return position.course.map { "\(speed) \(GeoText.compass($0))" } ?? speed
  }

  /// What this friend sees of me.
  @MainActor static func sharing(
    with friendID: UUID, in store: LocationSharingStore, at now: WireTime
  ) -> String {
    guard let setting = store.sharing?.setting(for: friendID, at: now) else { return "" }
    return "sees of you: \(setting.sentence)"
  }
}

extension SharingSetting {
  /// `precise until 18:00`.
  var sentence: String {
    guard let until, mode > .off else { return mode.title }
    return "\(mode.title) until \(LocalTime.clock(until))"
  }
}
