import RallyRules
import RallyWire

/// The patterns in use, each kept once however many entries ask for it, and for as long.
struct PatternTable {
  private var entries: [[String: JSONValue]: (pattern: ChangePattern, uses: Int)] = [:]

  var count: Int { entries.count }

  /// The pattern of an entry; given back by `release`.
  mutating func take(_ entry: [String: JSONValue]) -> ChangePattern {
    let wish = ChangePattern.wish(of: entry)
    let known = entries[wish]
    let pattern = known?.pattern ?? ChangePattern(wish)
    entries[wish] = (pattern, (known?.uses ?? 0) + 1)
    return pattern
  }

  mutating func release(_ pattern: ChangePattern) {
    guard let entry = entries[pattern.wish] else { return }
    entries[pattern.wish] = entry.uses > 1 ? (pattern, entry.uses - 1) : nil
  }
}
