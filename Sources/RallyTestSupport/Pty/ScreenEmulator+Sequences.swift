extension ScreenEmulator {
  // MARK: - Escapes

  mutating func escape(_ intermediates: [UInt8], _ final: UInt8) {
    switch (intermediates.first.map(Character.init(byte:)), Character(byte: final)) {
    case (nil, "7"): saved = current
    case (nil, "8"): restore(saved)
    case (nil, "D"): lineFeed()
    case (nil, "E"):
      cursor.column = 0
      lineFeed()
    case (nil, "H"): tabStops.insert(cursor.column)
    case (nil, "M"): reverseLineFeed()
    case (nil, "c"): reset()
    case (nil, "="): keypadSendsApplicationCodes = true
    case (nil, ">"): keypadSendsApplicationCodes = false
    case (nil, "\\"): break
    case ("(", _): charsets[0] = final
    case (")", _): charsets[1] = final
    case ("*", _), ("+", _), (" ", _), ("%", _): break
    default: note("ESC \(String(decoding: intermediates + [final], as: UTF8.self))")
    }
  }

  var current: Saved {
    Saved(cursor: cursor, style: style, charsets: charsets, shift: shift)
  }

  mutating func restore(_ slot: Saved) {
    style = slot.style
    charsets = slot.charsets
    shift = slot.shift
    moveCursor(row: slot.cursor.row, column: slot.cursor.column)
  }

  mutating func reset() {
    let kept = (modeChanges, replies, unknown, bells, clipboard)
    self = ScreenEmulator(rows: rows, columns: columns)
    (modeChanges, replies, unknown, bells, clipboard) = kept
  }

  mutating func systemCommand(_ text: String) {
    let parts = text.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
    let value = parts.count > 1 ? String(parts[1]) : ""
    switch parts.first {
    case "0", "2": title = value
    case "52": clipboard = value.split(separator: ";").last.map(String.init)
    default: break
    }
  }

  mutating func note(_ what: String) { if unknown.count < 100 { unknown.append(what) } }

  // MARK: - Control sequences

  mutating func perform(_ sequence: EscapeSequence) {
    if sequence.prefix != nil || !sequence.intermediates.isEmpty {
      performPrefixed(sequence)
      return
    }
    let count = sequence.count()
    let background = style.background
    switch Character(byte: sequence.final) {
    case "@":
      grid.insertCells(count, row: cursor.row, column: cursor.column, background: background)
    case "A": moveCursor(row: max(cursor.row - count, upperBorder), column: cursor.column)
    case "B", "e": moveCursor(row: min(cursor.row + count, lowerBorder), column: cursor.column)
    case "C", "a": moveCursor(row: cursor.row, column: cursor.column + count)
    case "D": moveCursor(row: cursor.row, column: cursor.column - count)
    case "E": moveCursor(row: min(cursor.row + count, lowerBorder), column: 0)
    case "F": moveCursor(row: max(cursor.row - count, upperBorder), column: 0)
    case "G", "`": moveCursor(row: cursor.row, column: count - 1)
    case "H", "f": moveCursor(row: originRow + count - 1, column: sequence.count(1) - 1)
    case "I": tab(count)
    case "J": eraseScreen(sequence.selector())
    case "K": eraseLine(sequence.selector())
    case "L" where region.contains(cursor.row):
      grid.scrollDown(cursor.row..<region.upperBound, by: count, background: background)
      moveCursor(row: cursor.row, column: 0)
    case "M" where region.contains(cursor.row):
      grid.scrollUp(cursor.row..<region.upperBound, by: count, background: background)
      moveCursor(row: cursor.row, column: 0)
    case "L", "M": break
    case "P":
      grid.deleteCells(count, row: cursor.row, column: cursor.column, background: background)
    case "S": grid.scrollUp(region, by: count, background: background)
    case "T": grid.scrollDown(region, by: count, background: background)
    case "X":
      grid.erase(
        cursor.row, cursor.column..<cursor.column + count, background: background)
      wrapPending = false
    case "Z": tab(-count)
    case "b": if let lastPrinted { for _ in 0..<count { print(lastPrinted) } }
    case "c": replies += Array("\u{1B}[?62;22c".utf8)
    case "d": moveCursor(row: originRow + count - 1, column: cursor.column)
    case "g": if sequence.selector() == 3 { tabStops = [] } else { tabStops.remove(cursor.column) }
    case "h": setStandardModes(sequence, on: true)
    case "l": setStandardModes(sequence, on: false)
    case "m": style.apply(sequence.parameters)
    case "n": report(sequence.selector())
    case "r": setRegion(sequence)
    case "s": saved = current
    case "t":
      // Of the window operations only titles: the program cannot resize this terminal.
      if sequence.selector() == 22 { titleStack.append(title) }
      if sequence.selector() == 23, let former = titleStack.popLast() { title = former }
    case "u": restore(saved)
    default: note("CSI \(sequence)")
    }
  }

  mutating func performPrefixed(_ sequence: EscapeSequence) {
    let prefix = sequence.prefix.map(Character.init(byte:))
    let intermediate = sequence.intermediates.first.map(Character.init(byte:))
    switch (prefix, intermediate, Character(byte: sequence.final)) {
    case ("?", nil, "h"): setPrivateModes(sequence, on: true)
    case ("?", nil, "l"): setPrivateModes(sequence, on: false)
    case ("?", "$", "p"):
      let mode = sequence.selector()
      replies += Array("\u{1B}[?\(mode);\(modes.contains(mode) ? 1 : 2)$y".utf8)
    case (nil, "!", "p"): softReset()
    case (">", nil, "u"): keyFlags[isAlternate, default: []].append(sequence.selector())
    case ("<", nil, "u"): _ = keyFlags[isAlternate]?.popLast()
    case ("=", nil, "u"): setKeyFlags(sequence)
    case (nil, " ", "q"), (">", nil, _), ("?", nil, "u"): break
    case ("?", nil, "J"): eraseScreen(sequence.selector())
    case ("?", nil, "K"): eraseLine(sequence.selector())
    default: note("CSI \(sequence)")
    }
  }

  /// Sets (1), adds (2) or takes away (3) flags of the topmost entry.
  private mutating func setKeyFlags(_ sequence: EscapeSequence) {
    let flags = sequence.selector()
    let top = keyFlags[isAlternate]?.popLast() ?? 0
    let found =
      switch sequence.parameters.count > 1 ? sequence.parameters[1] ?? 1 : 1 {
      case 2: top | flags
      case 3: top & ~flags
      default: flags
      }
    keyFlags[isAlternate, default: []].append(found)
  }

  var upperBorder: Int { cursor.row >= region.lowerBound ? region.lowerBound : 0 }
  var lowerBorder: Int {
    cursor.row < region.upperBound ? region.upperBound - 1 : rows - 1
  }
  var originRow: Int { modes.contains(6) ? region.lowerBound : 0 }

  mutating func eraseLine(_ selector: Int) {
    let range =
      switch selector {
      case 1: 0..<cursor.column + 1
      case 2: 0..<columns
      default: cursor.column..<columns
      }
    grid.erase(cursor.row, range, background: style.background)
    wrapPending = false
  }

  mutating func eraseScreen(_ selector: Int) {
    let whole =
      switch selector {
      case 0: cursor.row + 1..<rows
      case 1: 0..<cursor.row
      case 2: 0..<rows
      default: 0..<0
      }
    for row in whole { grid.erase(row, 0..<columns, background: style.background) }
    if selector < 2 { eraseLine(selector) }
  }

  mutating func setRegion(_ sequence: EscapeSequence) {
    let top = sequence.count() - 1
    let bottom = min(sequence.count(1, missing: rows), rows)
    guard top + 1 < bottom else { return }
    region = top..<bottom
    moveCursor(row: originRow, column: 0)
  }

  mutating func setStandardModes(_ sequence: EscapeSequence, on: Bool) {
    for mode in sequence.parameters.compactMap(\.self) {
      switch mode {
      case 4: insertMode = on
      case 20: newlineMode = on
      default: note("mode \(mode)")
      }
    }
  }

  mutating func setPrivateModes(_ sequence: EscapeSequence, on: Bool) {
    for mode in sequence.parameters.compactMap(\.self) {
      modeChanges.append(ModeChange(mode: mode, on: on))
      if on { modes.insert(mode) } else { modes.remove(mode) }
      switch mode {
      case 6: moveCursor(row: originRow, column: 0)
      case 47, 1047, 1049:
        // One screen, whichever number names it.
        if !on { modes.subtract([47, 1047, 1049]) }
        setAlternate(on, savingCursor: mode == 1049)
      default: break
      }
    }
  }

  mutating func setAlternate(_ on: Bool, savingCursor: Bool) {
    if on, mainGrid == nil {
      if savingCursor { savedByAlternate = current }
      mainGrid = grid
      grid = ScreenGrid(rows: rows, columns: columns)
    } else if !on, let main = mainGrid {
      grid = main
      mainGrid = nil
      if savingCursor { restore(savedByAlternate) }
    }
  }

  mutating func softReset() {
    style = ScreenCell.Style()
    charsets = [UInt8(ascii: "B"), UInt8(ascii: "B")]
    (shift, insertMode, region) = (0, false, 0..<rows)
    modes.insert(25)
    modes.subtract([1, 6])
    keypadSendsApplicationCodes = false
  }

  mutating func report(_ selector: Int) {
    switch selector {
    case 5: replies += Array("\u{1B}[0n".utf8)
    case 6: replies += Array("\u{1B}[\(cursor.row + 1);\(cursor.column + 1)R".utf8)
    default: note("DSR \(selector)")
    }
  }
}

extension Character {
  fileprivate init(byte: UInt8) { self.init(Unicode.Scalar(byte)) }
}
