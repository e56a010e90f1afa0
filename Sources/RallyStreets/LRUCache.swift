/// Values whose costs add up to at most a limit; the least recently used is dropped first. A value
/// that costs more alone is kept until the next one comes.
struct LRUCache<Key: Hashable, Value> {
  private struct Entry {
    let value: Value
    let cost: Int
    /// The turn of its last use.
    var used: UInt64
  }

  let limit: Int
  private(set) var cost = 0
  private var entries: [Key: Entry] = [:]
  private var turn: UInt64 = 0

  init(limit: Int) { self.limit = limit }

  mutating func value(for key: Key) -> Value? {
    turn += 1
    entries[key]?.used = turn
    return entries[key]?.value
  }

  mutating func insert(_ value: Value, for key: Key, cost: Int) {
    turn += 1
    let entry = Entry(value: value, cost: cost, used: turn)
    self.cost += cost - (entries.updateValue(entry, forKey: key)?.cost ?? 0)
    while self.cost > limit, entries.count > 1,
      let oldest = entries.min(by: { $0.value.used < $1.value.used })
    {
      entries[oldest.key] = nil
      self.cost -= oldest.value.cost
    }
  }

  mutating func removeAll() {
    entries.removeAll()
    cost = 0
  }
}
