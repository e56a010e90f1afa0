/// Values that are equal if they have the same bytes. Two `String`s are also equal if Unicode's
/// canonical equivalence says so, which is not enough for a copy.
struct ExactValues: Hashable {
  package let values: [SQLValue]

  init(_ values: [SQLValue]) { self.values = values }

  static func == (a: Self, b: Self) -> Bool {
    a.values.count == b.values.count
      && zip(a.values, b.values).allSatisfy { a, b in
        guard case .text(let a) = a, case .text(let b) = b else { return a == b }
        return a.utf8.elementsEqual(b.utf8)
      }
  }

  func hash(into hasher: inout Hasher) {
    for value in values {
      if case .text(let text) = value {
        for byte in text.utf8 { hasher.combine(byte) }
      } else {
        hasher.combine(value)
      }
    }
  }
}
