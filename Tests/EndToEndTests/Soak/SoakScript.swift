import RallyTestSupport

/// What somebody without a plan does at a terminal: keys, mouse, pastes, sequences that are cut off.
struct SoakScript {
  private var generator: SeededGenerator
  /// Of the window that it begins with.
  private let firstSize = (rows: 24, columns: 80)
  private var lastSize = (rows: 24, columns: 80)

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  private static let sequences = [
    "\u{1B}OA", "\u{1B}OB", "\u{1B}OC", "\u{1B}OD", "\u{1B}[5~", "\u{1B}[6~", "\u{1B}[H",
    "\u{1B}[F", "\u{1B}OP",
    "\u{1B}[Z", "\t", "\r", "\u{7F}", "\u{1B}[1;5A", "\u{1B}[27u", "\u{1B}[I", "\u{1B}[O",
    "\u{1B}[24;80R",
    "\u{1B}[?62;c", "\u{1B}]11;rgb:0/0/0\u{1B}\\", "\u{1B}[9999;1~", "\u{1B}[<", "\u{FFFD}",
  ]
  /// All that acts, but what stops or leaves the program.
  private static let letters = Array("jkhlgGcaxBuriosSvVnNpf.+-=0123456789/:?!mMtTyeEzJLIwWbdDFH ")
  private static let controls: [UInt8] = [1, 2, 4, 5, 6, 8, 11, 12, 14, 16, 18, 20, 21, 22, 23, 25]
  private static let words = [
    "Lisbon", "ana", "38.72,-9.14", "policy", "here Porto", "go Kyoto", "now", "漢字", "👨‍👩‍👧", "🇵🇹",
    "e\u{301}",
    "\u{202E}abc", "a very long word that goes on", "500 m", "tomorrow 9:00",
  ]

  /// The bytes of one act.
  mutating func next() -> String {
    switch Int.random(in: 0..<20, using: &generator) {
    case 0..<8: return String(Self.letters.randomElement(using: &generator) ?? "j")
    case 8..<12: return Self.sequences.randomElement(using: &generator) ?? "\r"
    case 12..<14:
      let control = Self.controls.randomElement(using: &generator) ?? 1
      return String(Unicode.Scalar(control))
    case 14..<16: return Self.words.randomElement(using: &generator) ?? "a"
    case 16: return pasted
    case 17: return "\u{1B}[27u"
    default: return mouse
    }
  }

  private var pasted: String {
    mutating get {
      let count = Int.random(in: 1...60, using: &generator)
      let text = (0..<count).map { _ in
        Self.words.randomElement(using: &generator) ?? ""
      }
      return "\u{1B}[200~\(text.joined(separator: "\nq"))\u{1B}[201~"
    }
  }

  private var mouse: String {
    mutating get {
      let x = Int.random(in: 1...120, using: &generator)
      let y = Int.random(in: 1...40, using: &generator)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: return "\u{1B}[<64;\(x);\(y)M"
      case 1: return "\u{1B}[<65;\(x);\(y)M"
      case 2: return "\u{1B}[<0;\(x);\(y)M\u{1B}[<32;\(x + 3);\(y + 1)M\u{1B}[<0;\(x + 3);\(y + 1)m"
      case 3: return String(repeating: "\u{1B}[<0;\(x);\(y)M\u{1B}[<0;\(x);\(y)m", count: 2)
      default: return "\u{1B}[<0;\(x);\(y)M\u{1B}[<0;\(x);\(y)m"
      }
    }
  }

  /// A window between the smallest there is and a large one; always another one than the last.
  mutating func size() -> (rows: Int, columns: Int) {
    var size = lastSize
    while size == lastSize || size == firstSize { size = anySize() }
    lastSize = size
    return size
  }

  private mutating func anySize() -> (rows: Int, columns: Int) {
    guard Int.random(in: 0..<4, using: &generator) > 0 else {
      return (
        .random(in: 1...15, using: &generator), .random(in: 1...59, using: &generator)
      )
    }
    return (.random(in: 16...70, using: &generator), .random(in: 60...220, using: &generator))
  }
}
