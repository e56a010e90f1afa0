import FoundationEssentials
import RallySystem
import RallyText
import RallyWire

/// A parsed sharing command: `precise @ana 2h`, `@ana city until 21:00`, `off`.
public struct ShareRequest: Hashable, Sendable {
  public var mode: SharingMode
  /// Nil sets the default for all friends.
  public var friendID: UUID?
  public var until: WireTime?

  /// Words that join the others and say nothing.
  private static let joints = ["for", "until", "with"]

  /// - Parameters:
  ///   - words: The mode, optionally a friend and an end, in any order. A friend whose name means
  ///     something else needs an `@`.
  ///   - sharing: The friends who can be named.
  ///   - timeZone: Of a time of day.
  /// - Throws: `FieldProblem` that says what to type instead.
  public init(
    _ words: [String], sharing: SharingTable?, now: WireTime, timeZone: LocalTimeZone = .current
  ) throws(FieldProblem) {
    var mode: SharingMode?
    for word in words where !Self.joints.contains(word.lowercased()) {
      let name = word.hasPrefix("@") ? String(word.dropFirst()) : word
      if mode == nil, let typed = try? SharingMode(typed: word) {
        mode = typed
      } else if let friend = sharing?.friends.first(where: { $0.username == name.lowercased() }) {
        friendID = friend.id
      } else if ShareEnds.isEnd(word) {
        until = try ShareEnds(now: now, timeZone: timeZone).end(typed: word)
      } else {
        // Before a mode, a bare word is a mistyped one.
        if mode == nil, name == word { _ = try SharingMode(typed: word) }
        throw FieldProblem(
          field: .place, advice: "No friend of yours is called @\(name.cleanedForDisplay).")
      }
    }
    self.mode = if let mode { mode } else { try SharingMode(typed: "") }
  }
}

/// When a share can end: the ends that a key steps through, and those that are typed.
///
/// "Tonight" ends at the first local midnight or 4:00 that is more than two hours and ten minutes
/// away. From 21:50 on, midnight would be no step of its own after two hours, and until 1:50 the
/// night still goes on. From 1:50 on the coming midnight is meant. Where the clocks skip midnight,
/// the day begins at 1:00.
public struct ShareEnds: Hashable, Sendable {
  public let now: WireTime
  public let timeZone: LocalTimeZone

  public init(now: WireTime, timeZone: LocalTimeZone = .current) {
    self.now = now
    self.timeZone = timeZone
  }

  /// The longest step before tonight.
  private static let twoHours = Duration.seconds(2 * 3600)
  /// Two ends nearer to each other are one step: time passes between two keys.
  private static let tolerance = Duration.seconds(300)

  // MARK: - Steps

  /// In 30 minutes, an hour, two hours, and tonight.
  public var steps: [WireTime] {
    [.seconds(1800), .seconds(3600), Self.twoHours].map(now.advanced) + [tonight]
  }

  /// The next later step; nil, for no end, after tonight, and the first one after no end.
  public func later(than end: WireTime?) -> WireTime? {
    guard let end else { return steps.first }
    return steps.first { $0 > end.advanced(by: Self.tolerance) }
  }

  /// The next earlier step; tonight before no end. The first one stays, since no end would be later.
  public func earlier(than end: WireTime?) -> WireTime? {
    guard let end else { return tonight }
    return steps.last { $0.advanced(by: Self.tolerance) < end } ?? end
  }

  public var tonight: WireTime {
    // A step of its own after two hours, also for a key that is pressed a little later.
    let earliest = now.advanced(by: Self.twoHours + Self.tolerance * 2)
    let ends = [
      local("today 4:00"), local("tomorrow 0:00") ?? local("tomorrow 1:00"),
      local("tomorrow 4:00"),
    ]
    return ends.compactMap(\.self).first { $0 > earliest } ?? earliest
  }

  /// Nil for a time that the clocks skip.
  private func local(_ text: String) -> WireTime? {
    try? WhenText(timeZone: timeZone, now: now).parse(text, field: .ends)
  }

  // MARK: - Typing

  /// Parses `45m`, `2h`, `1d`, `21:00`, `midnight`, `tomorrow 9:00`, `friday` (its end), `tonight` or
  /// `always`, from one minute to thirty days away; `for` or `until` may stand in front.
  ///
  /// - Returns: Nil for no end.
  /// - Throws: `FieldProblem` that says what to type instead.
  public func end(typed text: String) throws(FieldProblem) -> WireTime? {
    var words = text.lowercased().split(separator: " ")
    if words.count > 1, ["for", "until"].contains(words[0]) { words.removeFirst() }
    let when = WhenText(timeZone: timeZone, now: now)
    let typed = words.joined(separator: " ")
    let dayEnd = when.end(ofDay: typed)
    switch typed {
    case "tonight": return tonight
    case "always": return nil
    case let clock
    where clock.contains(":") || clock == "midnight" || dayEnd != nil:
      let end = if let dayEnd { dayEnd } else { try when.parse(clock, field: .ends) }
      let seconds = end?.since(now).components.seconds ?? 0
      guard ShareTime.range.contains(Int(seconds)) else {
        throw FieldProblem(
          field: .ends, advice: "Type a time from one minute to 30 days from now.")
      }
      return end
    case let span:
      guard let duration = try? ShareTime.duration(typed: span) else {
        throw FieldProblem(
          field: .ends, advice: "Type how long or until when: 45m, 2h, 21:00, tonight or friday.")
      }
      return now.advanced(by: duration)
    }
  }

  /// Whether a word of a command names an end.
  static func isEnd(_ word: String) -> Bool {
    word.first?.isNumber == true || ["tonight", "midnight", "always"].contains(word.lowercased())
  }
}

/// A parsed position command: `Lisbon`, `38.72,-9.14 for 2h`.
public struct HereRequest: Hashable, Sendable {
  /// A city, a street or coordinates.
  public var place: String
  /// How long it holds; nil if it holds until the device moves.
  public var duration: Duration?
  /// The same as typed, such as `2h`.
  public var end: String?

  /// - Throws: `FieldProblem` if ` for ` is followed by no duration.
  public init(_ text: String) throws(FieldProblem) {
    place = text
    let words = text.split(separator: " ")
    // A place whose name ends like this is still found by its coordinates.
    guard words.count > 2, words[words.count - 2].lowercased() == "for",
      let last = words.last, last.first?.isNumber == true
    else { return }
    place = words.dropLast(2).joined(separator: " ")
    duration = try ShareTime.duration(typed: String(last))
    end = last.lowercased()
  }
}

/// Places whose names only begin with what was typed: a person chooses one of them.
public struct HereChoice: Hashable, Sendable {
  static let limit = 8

  public let request: HereRequest
  public let places: [Place]
}

/// A position that the user entered, and how long it holds.
public struct ManualPin: Hashable, Sendable, Codable {
  public var fix: LocationFix
  /// When it ends; nil if it holds until the device is seen to move.
  public var until: WireTime?
  /// The device's place while the pin holds: what was measured when it was set, or else first
  /// afterwards; nil as long as nothing was.
  public var measured: LocationFix?
  /// Whether the device was seen to move, which ends a pin without a time for good.
  public var isLeft = false

  public init(_ fix: LocationFix, until: WireTime? = nil, measured: LocationFix? = nil) {
    self.fix = fix
    self.until = until
    self.measured = measured
  }

  /// Whether a measurement ends a pin without a time: it is newer, and the device is not any more
  /// where it was measured before.
  func isLeft(by fix: LocationFix) -> Bool {
    guard until == nil, fix.recordedAt > self.fix.recordedAt, let measured else { return false }
    return Movement.isMovement(from: measured, to: fix)
  }

  /// The pin with the measurement as the device's place, if there is none yet or a far less accurate
  /// one; else unchanged.
  func refined(by fix: LocationFix) -> ManualPin {
    guard until == nil, !isLeft, !isLeft(by: fix),
      measured.map({ FixFilter.isMoreAccurate(fix, than: $0) }) ?? true
    else { return self }
    var pin = self
    pin.measured = fix
    return pin
  }
}
