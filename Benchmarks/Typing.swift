import Foundation
import RallyTestSupport

/// What keys cost.
struct KeyFigures {
  /// From each key to the screen.
  var times: Sample
  /// The program's processor for one key; nil if it has ended.
  var processorEach: Duration?
}

extension TerminalProbe {
  private func figures(_ measure: () -> Sample) -> KeyFigures {
    let before = ProcessFigures(of: processID)
    let times = measure()
    guard let before, let after = ProcessFigures(of: processID) else {
      return KeyFigures(times: times)
    }
    let processor = after.processor - before.processor
    return KeyFigures(times: times, processorEach: processor / max(1, times.values.count))
  }

  /// Types one letter at a time into a text field and waits until each is on the screen.
  ///
  /// - Parameter clear: Keys that clear the field; typed every twenty letters and not measured.
  /// - Returns: Fewer times than requested if the program hangs.
  func measureTyping(_ count: Int, clear: String = "\u{15}") -> KeyFigures {
    figures { typingTimes(count, clear) }
  }

  private func typingTimes(_ count: Int, _ clear: String) -> Sample {
    var sample = Sample()
    // Before the cursor: what is offered after it and elsewhere comes and goes with each letter.
    func letters(_ screen: ScreenEmulator) -> Int {
      screen.lines[screen.cursor.row].prefix(screen.cursor.column).count { $0 == "z" }
    }
    let others = letters(screen)
    for number in 0..<count {
      if number > 0, number % 20 == 0 {
        type(clear)
        guard read(within: .seconds(5), until: { letters($0) <= others }) != nil else { break }
      }
      let before = letters(screen)
      // A random pause like a typist's, so as not to be in phase with timers.
      read(for: .microseconds(Int.random(in: 5_000...25_000)))
      let pressed = type("z")
      guard let seen = readOn(within: .seconds(5), until: { letters($0) > before }) else { break }
      sample.add(seen - pressed)
    }
    return sample
  }

  /// Presses keys that move the selection and waits until the screen shows it elsewhere.
  func measureMoves(_ count: Int, keys: [String]) -> KeyFigures {
    figures { moveTimes(count, keys) }
  }

  private func moveTimes(_ count: Int, _ keys: [String]) -> Sample {
    var sample = Sample()
    for number in 0..<count {
      let before = Selection(screen)
      read(for: .microseconds(Int.random(in: 5_000...25_000)))
      let pressed = type(keys[number % keys.count])
      guard let seen = readOn(within: .seconds(5), until: { Selection($0) != before }) else {
        break
      }
      sample.add(seen - pressed)
    }
    return sample
  }
}

/// The position of the selected row: reversed cells and the cursor.
private struct Selection: Equatable {
  private var rows: [Int]
  private var cursor: ScreenEmulator.Position

  init(_ screen: ScreenEmulator) {
    rows = (0..<screen.rows).filter { row in
      screen.cells(row: row).count { $0.style.reverse } > 10
        || screen.lines[row].hasPrefix("▸")
    }
    cursor = screen.cursor
  }
}

/// A program's activity without input.
struct IdleFigures {
  var bytes: Int
  var switches: Int
  var ticks: Int

  /// Measures the second of two equal times: in the first, threads without work and connections
  /// without requests end.
  ///
  /// - Parameter time: How long one of them is; the calling thread reads the output meanwhile.
  init?(_ probe: TerminalProbe, for time: Duration) {
    probe.readUntilQuiet(for: .seconds(6))
    probe.read(for: time)
    guard let before = ProcessFigures(of: probe.processID) else { return nil }
    let written = probe.bytesWritten
    probe.read(for: time)
    guard let after = ProcessFigures(of: probe.processID) else { return nil }
    bytes = probe.bytesWritten - written
    switches = after.wakeUps(since: before)
    ticks = after.ticks - before.ticks
  }
}
