import Foundation
import RallyTestSupport

/// Another fast terminal program, measured in the same way and in the same run.
struct ComparisonProgram {
  var name: String
  var arguments: [String]
  /// A text on its first usable screen.
  var landmark: String
  /// Whether it starts with a text input line.
  var hasLineEditor: Bool
  private let folder: TemporaryFolder

  /// The installed ones of irssi, weechat and newsboat.
  static var installed: [ComparisonProgram] {
    guard let folder = try? TemporaryFolder() else { return [] }
    let feed = folder.file("feed.xml")
    let urls = folder.file("urls")
    let entry = "<rss version=\"2.0\"><channel><title>A feed</title></channel></rss>"
    try? entry.write(toFile: feed, atomically: true, encoding: .utf8)
    try? "file://\(feed)\n".write(toFile: urls, atomically: true, encoding: .utf8)
    let all = [
      ComparisonProgram(
        name: "irssi", arguments: ["--home=\(folder.file("irssi"))"], landmark: "[(status)]",
        hasLineEditor: true, folder: folder),
      ComparisonProgram(
        name: "weechat", arguments: ["-d", folder.file("weechat")], landmark: "weechat",
        hasLineEditor: true, folder: folder),
      ComparisonProgram(
        name: "newsboat", arguments: ["-u", urls, "-c", folder.file("newsboat.db")],
        landmark: "Quit", hasLineEditor: false, folder: folder),
    ]
    let path = folder.environment["PATH"]
    return all.filter { (try? program($0.name, path: path)) != nil }
  }

  var startSubject: StartSubject {
    StartSubject(
      name: name, command: name, arguments: arguments, folder: folder
    ) { [landmark] in $0.contains(landmark) }
  }

  /// Measures keys, idleness and memory.
  func measure(plan: Plan, into table: inout ResultTable) {
    progress(name)
    guard let probe = try? TerminalProbe(name, arguments, environment: folder.environment) else {
      return
    }
    _ = probe.read(within: .seconds(5)) { $0.contains(landmark) }
    probe.readUntilQuiet(for: .seconds(1))
    if hasLineEditor {
      let typing = probe.measureTyping(plan.keys)
      table.add(name, "key to paint, typing, median", typing.times.quantile(0.5))
      table.add(name, "key to paint, typing, 99 %", typing.times.quantile(0.99))
      table.add(name, "processor of a key, typing", typing.processorEach)
    }
    let idle = IdleFigures(probe, for: plan.idle)
    let seconds = plan.idle.components.seconds
    table.add(name, "wake-ups, idle \(seconds) s", idle.map { Double($0.switches) }, "")
    let memory = ProcessFigures(of: probe.processID)
    table.add(name, "resident", memory?.residentMegabytes, "MiB")
    table.add(name, "private memory", memory?.privateMegabytes, "MiB")
  }
}
