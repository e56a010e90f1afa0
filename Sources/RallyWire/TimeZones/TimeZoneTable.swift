/// The changes of the clocks of a time zone: a list, and a rule for all times after it.
struct TimeZoneTable: Sendable {
  /// Seconds since 1970, ascending, and how many seconds the clocks are ahead of UTC from then on.
  private let changes: [(at: Int64, offset: Int32)]
  /// Before the first change.
  private let firstOffset: Int32
  /// After the last change; nil if the clocks stay as they are.
  private let rule: TimeZoneRule?

  static let utc = TimeZoneTable(changes: [], firstOffset: 0, rule: nil)

  private init(changes: [(at: Int64, offset: Int32)], firstOffset: Int32, rule: TimeZoneRule?) {
    self.changes = changes
    self.firstOffset = firstOffset
    self.rule = rule
  }

  /// Seconds ahead of UTC at a moment in seconds since 1970.
  func offset(at time: Int64) -> Int {
    let index = indexOfChange(after: time)
    if index == changes.count, let rule { return rule.offset(at: time) }
    return Int(index == 0 ? firstOffset : changes[index - 1].offset)
  }

  /// The next moment at which the offset changes; nil if it never does.
  func nextTransition(after time: Int64) -> Int64? {
    let index = indexOfChange(after: time)
    var former = index == 0 ? firstOffset : changes[index - 1].offset
    for change in changes[index...] {
      if change.offset != former { return change.at }
      former = change.offset
    }
    return rule?.nextTransition(after: max(time, changes.last?.at ?? time))
  }

  /// The number of changes that have happened at this moment.
  private func indexOfChange(after time: Int64) -> Int {
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].at <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension TimeZoneTable {
  /// Reads a file of the time zone database (TZif, RFC 9636) of any version.
  ///
  /// - Returns: nil for anything else, and for zones that count leap seconds.
  init?(tzif bytes: [UInt8]) {
    var reader = Reader(rest: bytes[...])
    guard var header = Header(&reader) else { return nil }
    // From version 2 on, the same follows once more in 64 bits, with a rule at the end.
    let isWide = header.version >= UInt8(ascii: "2")
    if isWide {
      guard reader.skip(header.length(ofTime: 4)), let second = Header(&reader) else { return nil }
      header = second
    }
    let width = isWide ? 8 : 4
    guard header.leaps == 0, header.types > 0, reader.rest.count >= header.length(ofTime: width)
    else { return nil }
    let times = (0..<header.times).map { _ in reader.integer(width) }
    let indices = (0..<header.times).map { _ in Int(reader.integer(1) & 0xFF) }
    let offsets = (0..<header.types).map { _ in
      let offset = reader.integer(4)
      _ = reader.skip(2)
      return Int32(truncatingIfNeeded: offset)
    }
    _ = reader.skip(header.names + header.standard + header.universal)
    guard indices.allSatisfy(offsets.indices.contains), zip(times, times.dropFirst()).allSatisfy(<)
    else { return nil }
    changes = zip(times, indices).map { (at: $0, offset: offsets[$1]) }
    firstOffset = offsets[0]
    let footer = reader.rest.dropFirst().prefix { $0 != UInt8(ascii: "\n") }
    if isWide, !footer.isEmpty {
      guard let rule = TimeZoneRule(String(decoding: footer, as: UTF8.self)) else { return nil }
      self.rule = rule
    } else {
      rule = nil
    }
  }

  private struct Reader {
    var rest: ArraySlice<UInt8>

    mutating func skip(_ count: Int) -> Bool {
      guard rest.count >= count else { return false }
      rest = rest.dropFirst(count)
      return true
    }

    /// A signed number of this many bytes, the highest first.
    mutating func integer(_ width: Int) -> Int64 {
      let bytes = rest.prefix(width)
      rest = rest.dropFirst(width)
      let start: Int64 = bytes.first.map { $0 >= 0x80 ? -1 : 0 } ?? 0
      return bytes.reduce(start) { $0 << 8 | Int64($1) }
    }
  }

  private struct Header {
    let version: UInt8
    let universal, standard, leaps, times, types, names: Int

    init?(_ reader: inout Reader) {
      guard reader.rest.count >= 44, reader.rest.starts(with: "TZif".utf8) else { return nil }
      _ = reader.skip(4)
      version = UInt8(truncatingIfNeeded: reader.integer(1))
      _ = reader.skip(15)
      let counts = (0..<6).map { _ in Int(reader.integer(4)) }
      guard counts.allSatisfy({ (0...65_536).contains($0) }) else { return nil }
      (universal, standard, leaps) = (counts[0], counts[1], counts[2])
      (times, types, names) = (counts[3], counts[4], counts[5])
    }

    /// The bytes of what follows, with times of this many bytes.
    func length(ofTime width: Int) -> Int {
      times * (width + 1) + types * 6 + names + leaps * (width + 4) + standard + universal
    }
  }
}
