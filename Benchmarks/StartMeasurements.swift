import Foundation
import RallyTestSupport

/// A program that is started until its first usable screen.
struct StartSubject {
  let name: String
  let command: String
  let arguments: [String]
  /// Where it starts; it is removed with the last reference to it.
  let folder: TemporaryFolder
  let isUsable: (ScreenEmulator) -> Bool

  /// A start until the first usable screen, and its end.
  ///
  /// - Returns: Nil if the screen did not come.
  func start() -> (elapsed: Duration, processor: Duration)? {
    guard let probe = try? TerminalProbe(command, arguments, environment: folder.environment)
    else {
      return nil
    }
    defer { end(probe) }
    guard let seen = probe.read(within: .seconds(10), until: isUsable) else { return nil }
    let processor = ProcessFigures(of: probe.processID)?.processor ?? .zero
    return (seen - probe.startedAt, processor)
  }

  /// Asks the program to end, and waits until it has: the next start has the machine for itself.
  private func end(_ probe: TerminalProbe) {
    kill(probe.processID, SIGTERM)
    let deadline = ContinuousClock.now + .seconds(5)
    // What it writes at its end must be read, or it waits for that.
    while !ProcessFigures.hasEnded(probe.processID), ContinuousClock.now < deadline {
      probe.read(for: .milliseconds(5))
    }
  }
}

/// Measures how long programs take to their first usable screen: each is ended before the next one
/// starts, and they take turns, so that what slows the machine down slows all of them.
struct StartMeasurements {
  let server: BenchmarkServer
  let plan: Plan

  private struct Figures {
    var elapsed = Sample()
    var processor = Sample()
  }

  /// - Throws: `BenchFailure` if the client shows no friends.
  func measure(into table: inout ResultTable) throws {
    let rally = try server.startSubject()
    let peers = ComparisonProgram.installed
    let subjects = [rally] + peers.map(\.startSubject)
    progress("first frames")
    // The first start fills caches and makes files.
    for subject in subjects {
      guard subject.start() != nil || subject.name != rally.name else {
        throw BenchFailure("no friends on the first screen")
      }
    }
    var figures = [Figures](repeating: Figures(), count: subjects.count)
    for _ in 0..<plan.starts {
      for (index, subject) in subjects.enumerated() {
        guard let (elapsed, processor) = subject.start() else { continue }
        figures[index].elapsed.add(elapsed)
        figures[index].processor.add(processor)
      }
    }
    for (subject, figures) in zip(subjects, figures) {
      add(figures, of: subject.name, into: &table)
    }
    guard let index = subjects.firstIndex(where: { $0.name == "irssi" }) else { return }
    func ratio(_ sample: KeyPath<Figures, Sample>) -> Double? {
      guard let own = figures[0][keyPath: sample].quantile(0.5),
        let peer = figures[index][keyPath: sample].quantile(0.5), peer > .zero
      else { return nil }
      return own / peer
    }
    table.add(rally.name, "first usable frame, of irssi's", ratio(\.elapsed), "x", target: 1)
    table.add(rally.name, "processor until then, of irssi's", ratio(\.processor), "x", target: 1.2)
  }

  private func add(_ figures: Figures, of name: String, into table: inout ResultTable) {
    table.add(name, "first usable frame, median", figures.elapsed.quantile(0.5))
    table.add(name, "first usable frame, quarters apart", figures.elapsed.spread)
    table.add(name, "processor until then, median", figures.processor.quantile(0.5))
  }
}

extension Sample {
  /// The distance of the quartiles; nil without values.
  fileprivate var spread: Duration? {
    guard let low = quantile(0.25), let high = quantile(0.75) else { return nil }
    return high - low
  }
}
