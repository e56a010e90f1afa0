/// The parameters of a control sequence: numbers separated by `;`, with sub-parameters separated by
/// `:`.
struct SequenceParameters {
  private var groups: [[Int?]] = []

  /// - Returns: nil for other bytes, or for a number of more than eight digits.
  init?(_ body: some Sequence<UInt8>) {
    var groups: [[Int?]] = [[nil]]
    var isEmpty = true
    for byte in body {
      isEmpty = false
      switch byte {
      case 0x30...0x39:
        let last = (groups[groups.count - 1].popLast() ?? nil) ?? 0
        guard last < 10_000_000 else { return nil }
        groups[groups.count - 1].append(last * 10 + Int(byte - 0x30))
      case UInt8(ascii: ";"): groups.append([nil])
      case UInt8(ascii: ":"): groups[groups.count - 1].append(nil)
      default: return nil
      }
    }
    self.groups = isEmpty ? [] : groups
  }

  var count: Int { groups.count }

  /// A parameter or sub-parameter; nil if omitted.
  subscript(index: Int, part: Int = 0) -> Int? {
    guard groups.indices.contains(index), groups[index].indices.contains(part) else { return nil }
    return groups[index][part]
  }

  /// All sub-parameters of a parameter that are present.
  func parts(of index: Int) -> [Int] {
    groups.indices.contains(index) ? groups[index].compactMap(\.self) : []
  }
}
