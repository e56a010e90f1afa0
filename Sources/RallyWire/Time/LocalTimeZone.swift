import FoundationEssentials
import Glibc
import RallyText
import Synchronization

/// How far the clocks of a place are ahead of UTC, and when they change.
///
/// Named zones are read from the system's time zone database (package tzdata), each file once. Where
/// the database is missing, only `UTC` and `GMT` are known. The zone of this process is what libc
/// makes of `TZ` and `/etc/localtime`.
public struct LocalTimeZone: Hashable, Sendable {
  private struct Named {
    var identifier: String
    var table: TimeZoneTable
  }

  /// nil for the zone of this process.
  private let named: Named?

  /// The zone of this process.
  public static let current = LocalTimeZone(named: nil)
  public static let utc = LocalTimeZone(named: Named(identifier: "UTC", table: .utc))

  private init(named: Named?) { self.named = named }

  /// - Parameter identifier: A name of the time zone database, in its own case.
  /// - Returns: nil for any other name, and where the database does not have it.
  public init?(identifier: String) {
    guard let table = Self.known.table(identifier) else { return nil }
    named = Named(identifier: identifier, table: table)
  }

  /// A name of the time zone database, such as `Europe/Lisbon`; `UTC` where the system does not
  /// tell the name of its own zone.
  public var identifier: String { named?.identifier ?? Self.currentIdentifier }

  /// Seconds to add to UTC for the local time at this moment; negative west of Greenwich.
  public func secondsFromUTC(at time: WireTime) -> Int {
    let seconds = time.microseconds.flooredSeconds
    if let named { return named.table.offset(at: seconds) }
    var moment = time_t(seconds)
    var parts = tm()
    localtime_r(&moment, &parts)
    return parts.tm_gmtoff
  }

  /// The date and time that the clocks show at a moment, as if they were UTC.
  public func local(_ time: WireTime) -> WireTime {
    time.advanced(by: .seconds(secondsFromUTC(at: time)))
  }

  /// The moment at which the clocks show a date and time, which stands there as if it were UTC.
  ///
  /// Of two such moments it is the first. A time that the clocks skip is meant by the clocks before
  /// the change: RFC 5545 section 3.3.5.
  public func time(ofLocal wall: WireTime) -> WireTime {
    times(ofLocal: wall).first ?? candidates(forLocal: wall)[0]
  }

  /// The moments at which the clocks show a date and time: none where they skip it, two where they
  /// are put back over it, the earlier one first.
  public func times(ofLocal wall: WireTime) -> [WireTime] {
    Set(candidates(forLocal: wall).filter { local($0) == wall }).sorted()
  }

  /// By the clocks of the day before and of the day after.
  private func candidates(forLocal wall: WireTime) -> [WireTime] {
    [-86_400, 86_400].map { shift in
      wall.advanced(by: .seconds(-secondsFromUTC(at: wall.advanced(by: .seconds(shift)))))
    }
  }

  /// When the clocks are changed next; nil if they never are.
  public func nextTransition(after time: WireTime) -> WireTime? {
    let table = named?.table ?? Self.known.table(identifier)
    return table?.nextTransition(after: time.microseconds.flooredSeconds).map {
      WireTime(microseconds: $0 * 1_000_000)
    }
  }

  public static func == (a: LocalTimeZone, b: LocalTimeZone) -> Bool {
    a.named?.identifier == b.named?.identifier
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(named?.identifier) }

  // MARK: - The database

  private static let known = TimeZoneFolder(
    getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo")

  /// The name of the zone of this process, from `TZ`, the link `/etc/localtime` or Debian's
  /// `/etc/timezone`.
  private static let currentIdentifier: String = {
    let files = FileManager.default
    var text = "UTC"
    if let zone = getenv("TZ") {
      text = String(String(cString: zone).drop { $0 == ":" })
    } else if let link = try? files.destinationOfSymbolicLink(atPath: "/etc/localtime") {
      text = link
    } else if let content = files.contents(atPath: "/etc/timezone") {
      text = String(decoding: content.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
    let name = text.firstRange(of: "zoneinfo/").map { String(text[$0.upperBound...]) } ?? text
    return known.table(name) == nil ? "UTC" : name
  }()
}

/// A folder of time zone files, and what was read from it.
final class TimeZoneFolder: Sendable {
  private let path: String
  private let tables = Mutex<[String: TimeZoneTable]>([:])

  init(_ path: String) { self.path = path }

  /// The zone of this name; nil if there is none.
  func table(_ name: String) -> TimeZoneTable? {
    if name == "UTC" || name == "GMT" { return .utc }
    guard Self.isName(name) else { return nil }
    if let table = tables.withLock({ $0[name] }) { return table }
    guard let data = FileManager.default.contents(atPath: "\(path)/\(name)"),
      let table = TimeZoneTable(tzif: [UInt8](data))
    else { return nil }
    // Only names of files are kept, so that nobody can fill the memory with others.
    tables.withLock { $0[name] = table }
    return table
  }

  /// Whether it may be a zone: words of letters, digits, `_`, `+` and `-` with slashes between, the
  /// first letter in upper case. No path out of the folder is one, nor any other file in it.
  private static func isName(_ text: String) -> Bool {
    guard text.utf8.count <= 64, let first = text.utf8.first,
      first.isASCIIUppercase
    else { return false }
    return text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { word in
      !word.isEmpty && word.utf8.allSatisfy { $0.isAlphanumeric(or: "_+-") }
    }
  }
}
