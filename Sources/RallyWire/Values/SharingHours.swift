/// Hours of the week in which a position may leave; they span midnight if the end is before the
/// start.
public struct SharingHours: Hashable, Sendable, Codable, Identifiable {
  static let dayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
  static let dayMinutes = 24 * 60

  /// As `PrivacyRules.checkedName` returns it; unique among the hours.
  public var name: String
  /// The days on which they begin: 0 for Monday to 6 for Sunday, in order.
  public var days: [Int]
  /// Minutes after midnight, 0...1439; inclusive.
  public var start: Int
  /// Minutes after midnight, 1...1440; exclusive, and on the next day if it is up to `start`.
  public var end: Int

  public var id: String { name }

  enum CodingKeys: String, CodingKey {
    case name, days
    case start = "start_minute"
    case end = "end_minute"
  }

  /// Parses `mon-fri 9-18`, `sat,sun 10:30-12` or `22-6`.
  ///
  /// - Throws: `FieldProblem` that says what to type instead.
  public init(_ name: String, typed words: [String]) throws(FieldProblem) {
    let problem = FieldProblem(
      field: .text, advice: "Type days and hours, like mon-fri 9-18 or sat,sun 10:30-12.")
    self.name = try PrivacyRules.checkedName(name)
    guard (1...2).contains(words.count), let hours = words.last,
      let days = words.count == 1 ? Set(0..<7) : Self.days(words[0].lowercased())
    else { throw problem }
    let parts = hours.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let start = Self.minute(parts[0]), let end = Self.minute(parts[1])
    else { throw problem }
    self.days = days.sorted()
    self.start = start
    self.end = end
    guard isValid else { throw problem }
  }

  /// Whether the numbers name hours.
  var isValid: Bool {
    !days.isEmpty && days == Set(days).sorted() && days.allSatisfy((0..<7).contains)
      && (0..<Self.dayMinutes).contains(start) && (1...Self.dayMinutes).contains(end)
      && start != end
  }

  func contains(_ time: LocalMinute) -> Bool {
    if start < end { return days.contains(time.day) && (start..<end).contains(time.minute) }
    return (days.contains(time.day) && time.minute >= start)
      || (days.contains((time.day + 6) % 7) && time.minute < end)
  }

  /// `mon-fri 09:00-18:00`: what `init(_:typed:)` reads as the same hours.
  public var sentence: String {
    let names = days.map { Self.dayNames[$0] }
    let isRun = days.count > 2 && (days.last ?? 0) - (days.first ?? 0) + 1 == days.count
    let text =
      isRun ? "\(names.first ?? "")-\(names.last ?? "")" : names.joined(separator: ",")
    return "\(text) \(LocalMinute.text(start))-\(LocalMinute.text(end))"
  }

  private static func minute(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count),
      parts.allSatisfy({ (1...2).contains($0.count) && $0.allSatisfy { "0"..."9" ~= $0 } }),
      let hour = Int(parts[0]), let minute = parts.count == 2 ? Int(parts[1]) : 0, minute < 60
    else { return nil }
    return hour * 60 + minute
  }

  private static func days(_ text: String) -> Set<Int>? {
    var days: Set<Int> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false)
        .map { dayNames.firstIndex(of: String($0)) }
      switch (ends.count, ends.first ?? nil, ends.last ?? nil) {
      case (1, let day?, _): days.insert(day)
      case (2, let first?, let last?):
        for step in 0...((last - first + 7) % 7) { days.insert((first + step) % 7) }
      default: return nil
      }
    }
    return days
  }
}
