import RallySystem
import RallyText
import RallyWire

extension SharingMode {
  /// The word for commands and lists: `off`, `10km`, `1km`, `precise`.
  public var word: String {
    switch self {
    case .off: "off"
    case .approximate10km: "10km"
    case .approximate1km: "1km"
    case .precise: "precise"
    }
  }

  /// What a friend with this mode sees: `nothing`, `about 10 km`, `about 1 km`, `precisely`.
  public var title: String {
    switch self {
    case .off: "nothing"
    case .approximate10km: "about 10 km"
    case .approximate1km: "about 1 km"
    case .precise: "precisely"
    }
  }

  /// Parses the words above, `city`, `area`, `exact`, or the raw value of the protocol.
  ///
  /// - Throws: `FieldProblem` that says what to type instead.
  public init(typed text: String) throws(FieldProblem) {
    switch text.trimmed.lowercased() {
    case "off", "ghost", "nothing": self = .off
    case "10km", "city", SharingMode.approximate10km.rawValue: self = .approximate10km
    case "1km", "area", SharingMode.approximate1km.rawValue: self = .approximate1km
    case "precise", "exact": self = .precise
    default:
      throw FieldProblem(
        field: .place, advice: "Share off, city (10km), area (1km) or precise.")
    }
  }
}

/// What somebody sees of me, for verbs and the interface.
public enum SeenText {
  /// `Ana sees about 1 km until 21:00`. While there is no position it lies in the future: `Ana will
  /// see about 1 km until 21:00, once you say where you are`.
  ///
  /// - Parameters:
  ///   - what: What the mode shows, in the words of the caller.
  ///   - end: ` until 21:00`, or nothing.
  public static func sentence(
    _ name: String, sees what: String, in mode: SharingMode, end: String = "", isPlaceKnown: Bool
  ) -> String {
    isPlaceKnown || mode == .off
      ? "\(name) sees \(what)\(end)"
      : "\(name) will see \(what)\(end), once you say where you are"
  }
}

/// Parses the duration of a share.
public enum ShareTime {
  /// Seconds: from one minute to thirty days.
  static let range = 60...30 * 86_400

  /// Parses `45m`, `2h` or `1d`; from one minute to thirty days.
  ///
  /// - Throws: `FieldProblem` that says what to type instead.
  public static func duration(typed text: String) throws(FieldProblem) -> Duration {
    let text = text.trimmed.lowercased()
    let units: [Character: Int] = ["m": 60, "h": 3600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()),
      count > 0, count <= range.upperBound, range.contains(count * unit)
    else {
      throw FieldProblem(
        field: .place, advice: "Type how long: 45m, 2h or 1d, and at most 30d.")
    }
    return .seconds(count * unit)
  }
}

/// What is said of links to watch.
public enum WatchText {
  /// `a link until 18:00`, `a link until 18:00, 3 watch`, `2 links until 18:00`; nil without one.
  ///
  /// - Parameter links: Of several the last end counts.
  public static func sentence(
    _ links: [WatchLinkRecord], at now: WireTime, timeZone: LocalTimeZone = .current
  ) -> String? {
    let links = links.filter { now < $0.until }
    let words = sentence(ends: links.map(\.until), at: now, timeZone: timeZone)
    let watchers = links.reduce(0) { $0 + $1.watchers }
    return watchers == 0
      ? words : words.map { "\($0), \(watchers) \(watchers == 1 ? "watches" : "watch")" }
  }

  /// The same without how many watch.
  static func sentence(ends: [WireTime], at now: WireTime, timeZone: LocalTimeZone) -> String? {
    let ends = ends.filter { now < $0 }
    guard let last = ends.max() else { return nil }
    let end = WhenText(timeZone: timeZone, now: now).words(of: last)
    return ends.count == 1 ? "a link until \(end)" : "\(ends.count) links until \(end)"
  }
}
