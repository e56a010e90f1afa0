/// Key sequences of one terminal type, from terminfo.
struct KeySequences: Sendable {
  enum Finding { case found(KeyChord, length: Int), prefix, none }

  private var chords: [[UInt8]: KeyChord] = [:]
  private var prefixes: Set<[UInt8]> = []
  private var longest = 0

  init(_ sequences: [(bytes: [UInt8], chord: KeyChord)]) {
    for (bytes, chord) in sequences where bytes.count > 1 && bytes.first == 0x1B {
      chords[bytes] = chord
      for length in 1..<bytes.count { prefixes.insert(Array(bytes.prefix(length))) }
      longest = max(longest, bytes.count)
    }
  }

  func find(_ bytes: ArraySlice<UInt8>) -> Finding {
    guard longest > 0 else { return .none }
    for length in stride(from: min(longest, bytes.count), through: 2, by: -1) {
      if let chord = chords[Array(bytes.prefix(length))] { return .found(chord, length: length) }
    }
    return bytes.count < longest && prefixes.contains(Array(bytes)) ? .prefix : .none
  }
}
