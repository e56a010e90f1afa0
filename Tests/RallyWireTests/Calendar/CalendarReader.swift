import FoundationEssentials
import RallyWire
import Testing

/// Reads iCalendar as a calendar program does: unfolds, splits properties, and takes offsets from the
/// VTIMEZONE in the file alone.
struct CalendarReader {
  struct Property: Hashable {
    var name: String
    var parameters: [String: String]
    var value: String
  }

  /// The properties of a component, and the components in it.
  final class Component {
    let name: String
    var properties: [Property] = []
    var children: [Component] = []

    init(_ name: String) { self.name = name }

    subscript(name: String) -> String? { properties.first { $0.name == name }?.value }

    func all(_ name: String) -> [Component] { children.filter { $0.name == name } }
  }

  let root: Component

  /// RFC 5545 sections 3.1 and 3.6.
  init(_ text: String) throws {
    let bytes = Array(text.utf8)
    #expect(text.hasSuffix("\r\n"))
    for line in Self.lines(bytes) {
      #expect(line.utf8.count <= 75, "\(line)")
      #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }
    #expect(!bytes.isEmpty && String(validating: bytes, as: UTF8.self) != nil)
    var open = [Component("")]
    for line in Self.lines(bytes, unfolded: true) {
      let colon = try #require(line.firstIndex(of: ":"), "\(line)")
      let head = line[..<colon].split(separator: ";").map(String.init)
      let value = String(line[line.index(after: colon)...])
      switch head[0] {
      case "BEGIN": open.append(Component(value))
      case "END":
        let closed = open.removeLast()
        #expect(closed.name == value)
        try #require(open.last).children.append(closed)
      default:
        var parameters: [String: String] = [:]
        for part in head.dropFirst() {
          let sides = part.split(separator: "=").map(String.init)
          parameters[sides[0]] = sides[1]
        }
        open.last?.properties.append(
          Property(name: head[0], parameters: parameters, value: value))
      }
    }
    #expect(open.count == 1)
    root = try #require(open.first?.children.first)
    #expect(root.name == "VCALENDAR")
  }

  /// Lines without their ends. A fold is looked for in octets: a mark may stand behind its blank.
  private static func lines(_ bytes: [UInt8], unfolded: Bool = false) -> [String] {
    var lines: [[UInt8]] = [[]]
    var index = 0
    while index < bytes.count {
      if bytes[index...].starts(with: [13, 10]) {
        index += 2
        if unfolded, index < bytes.count, bytes[index] == 32 {
          index += 1
        } else {
          lines.append([])
        }
      } else {
        lines[lines.count - 1].append(bytes[index])
        index += 1
      }
    }
    return lines.dropLast().map { String(decoding: $0, as: UTF8.self) }
  }

  var events: [Component] { root.all("VEVENT") }

  /// A TEXT value as it was before: RFC 5545 section 3.3.11.
  static func unescaped(_ text: String) -> String {
    var result = ""
    var isEscaped = false
    for character in text {
      if isEscaped {
        result.append(character == "n" ? "\n" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        result.append(character)
      }
    }
    return result
  }

  // MARK: - Times

  /// The moments of a property with DATE-TIME values.
  func times(_ name: String, of event: Component) throws -> [WireTime] {
    try event.properties.filter { $0.name == name }.flatMap { property in
      try property.value.split(separator: ",").map {
        try time(String($0), zone: property.parameters["TZID"])
      }
    }
  }

  private func time(_ text: String, zone: String?) throws -> WireTime {
    let wall = try Self.wall(text)
    guard let zone else {
      #expect(text.hasSuffix("Z"))
      return wall
    }
    return wall.advanced(by: .seconds(-(try offset(at: wall, in: zone))))
  }

  /// `20260501T200000` as if it were UTC.
  static func wall(_ text: String) throws -> WireTime {
    let digits = Array(text.filter(\.isNumber)).map(String.init)
    func part(_ range: Range<Int>) -> String { digits[range].joined() }
    return try #require(
      WireTime(
        "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(8..<10)):\(part(10..<12)):"
          + "\(part(12..<14))Z"))
  }

  /// The offset of the last observance that began before a local time: RFC 5545 section 3.6.5.
  private func offset(at wall: WireTime, in zone: String) throws -> Int {
    let component = try #require(root.all("VTIMEZONE").first { $0["TZID"] == zone })
    var latest: (begin: WireTime, offset: Int)?
    for observance in component.children {
      let offset = try #require(Self.seconds(observance["TZOFFSETTO"] ?? ""))
      let dates =
        [observance["DTSTART"] ?? ""]
        + (observance["RDATE"] ?? "").split(separator: ",").map(String.init)
      for begin in try dates.map(Self.wall) where begin <= wall {
        if latest.map({ $0.begin < begin }) ?? true { latest = (begin, offset) }
      }
    }
    return try #require(latest).offset
  }

  private static func seconds(_ text: String) -> Int? {
    guard let number = Int(text) else { return nil }
    return (number / 100 * 60 + number % 100) * 60
  }

  // MARK: - Occurrences

  /// The starts of an event from its RRULE, as RFC 5545 section 3.3.10 has them, without EXDATE.
  func starts(of event: Component, limit: Int) throws -> [WireTime] {
    let start = try #require(event.properties.first { $0.name == "DTSTART" })
    let zone = start.parameters["TZID"]
    var rule: [String: String] = [:]
    for part in (event["RRULE"] ?? "").split(separator: ";") {
      let sides = part.split(separator: "=").map(String.init)
      rule[sides[0]] = sides[1]
    }
    let interval = Int(rule["INTERVAL"] ?? "1") ?? 1
    let until = try rule["UNTIL"].map(Self.wall)
    var wall = try Self.wall(start.value)
    let clock = wall.description.dropFirst(10)
    var walls: [WireTime] = []
    while walls.count < limit {
      walls.append(wall)
      switch rule["FREQ"] {
      case "DAILY": wall = wall.advanced(by: .seconds(86_400 * interval))
      case "WEEKLY": wall = wall.advanced(by: .seconds(7 * 86_400 * interval))
      case "MONTHLY":
        let month = (Int(wall.description.dropFirst(5).prefix(2)) ?? 0) % 12 + 1
        let year = (Int(wall.description.prefix(4)) ?? 0) + (month == 1 ? 1 : 0)
        let days =
          rule["BYMONTHDAY"]?.split(separator: ",").compactMap { Int($0) }
          ?? [Int(walls[0].description.dropFirst(8).prefix(2)) ?? 0]
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let found = days.compactMap { day -> WireTime? in
          let date = "\(year)-\(two(month))-\(two(day))"
          let time = WireTime(date + clock)
          // June 31 is read as July 1.
          return time?.description.hasPrefix(date) == true ? time : nil
        }
        #expect(days.count == 1 || rule["BYSETPOS"] == "-1")
        wall = try #require(found.last)
      default: walls.append(wall.advanced(by: .seconds(1 << 40)))
      }
    }
    let times = try walls.prefix(limit).map { wall in
      let isUTC = zone == nil
      return isUTC ? wall : wall.advanced(by: .seconds(-(try offset(at: wall, in: zone ?? ""))))
    }
    return times.filter { time in until.map { time <= $0 } ?? true }
  }
}
