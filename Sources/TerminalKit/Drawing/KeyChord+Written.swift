extension KeyChord {
  /// The name in words that can be typed: `Enter` and `Up` instead of `↵` and `↑`.
  public var written: String {
    let shown = description
    let name: String? =
      switch key {
      case .up: "Up"
      case .down: "Down"
      case .left: "Left"
      case .right: "Right"
      case .enter: "Enter"
      default: nil
      }
    return name.map { shown.dropLast() + $0 } ?? shown
  }

  /// The key that terminals send for this chord, if it is a different one.
  ///
  /// Ctrl with these letters produces the same byte as the key.
  package var sentAs: KeyChord? {
    guard modifiers == .control, case .character(let letter) = key else { return nil }
    return switch letter {
    case "i": KeyChord(.tab)
    case "m", "j": KeyChord(.enter)
    case "[": KeyChord(.escape)
    default: nil
    }
  }
}

extension KeySequence {
  /// The configuration syntax: `g g`, `Enter`.
  public var written: String { chords.map(\.written).joined(separator: " ") }
}

extension KeyChord {
  /// The name in a form that screen readers pronounce well: `Ctrl-K`, `Enter`, `Shift-Tab`.
  var spoken: String {
    var name = written
    var prefix = ""
    for (mark, word) in [("M-", "Alt-"), ("S-", "Shift-"), ("C-", "Ctrl-"), ("^", "Ctrl-")]
    where name.hasPrefix(mark) && name.count > mark.count {
      prefix += word
      name = String(name.dropFirst(mark.count))
    }
    return prefix + name
  }
}

extension KeySequence {
  var spoken: String { chords.map(\.spoken).joined(separator: " ") }
}
