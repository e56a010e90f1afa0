extension KeyChord {
  /// The name as it is typed on any keyboard: `Enter` and `Up` in place of `↵` and `↑`.
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

  /// The key that a terminal sends for this chord, where that is another one.
  ///
  /// Ctrl with these letters is the very byte of the key.
  var sentAs: KeyChord? {
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
  /// As the configuration writes it: `g g`, `Enter`.
  public var written: String { chords.map(\.written).joined(separator: " ") }
}

extension KeyChord {
  /// The name as a screen reader says it best: `Ctrl-K`, `Enter`, `Shift-Tab`.
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
