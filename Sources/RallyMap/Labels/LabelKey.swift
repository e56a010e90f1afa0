/// Identifies the owner of a label.
enum LabelKey: Hashable {
  case marker(String)
  case city(Int)
  case country(Int)
}

extension LabelKey: Comparable {
  /// An arbitrary but stable order.
  static func < (left: LabelKey, right: LabelKey) -> Bool {
    switch (left, right) {
    case (.marker(let left), .marker(let right)): left < right
    case (.city(let left), .city(let right)): left < right
    case (.country(let left), .country(let right)): left < right
    default: left.kind < right.kind
    }
  }

  private var kind: Int {
    switch self {
    case .marker: 0
    case .country: 1
    case .city: 2
    }
  }
}
