import Logging
import RallyDomain
import RallyEnvironment
import RallySystem
import TerminalKit

/// The last lines of the log, updated live, with a level and a text filter.
struct LogSheet: View {
  @Environment(\.actions) private var actions
  @Environment(\.interface) private var interface
  @Environment(\.logReader) private var logReader
  @State private var lines: [LogLine] = []
  @State private var isLoaded = false
  @State private var level = Logger.Level.trace
  @State private var filter = ""
  @State private var isFiltering = false
  /// The selected line; nil follows the newest one.
  @State private var held: Int?

  private static let levels: [Logger.Level] = [.trace, .info, .warning, .error]

  var body: some View {
    let shown = lines.filter { $0.matches(level: level, filter: filter) }
    Box(title: title) {
      VStack(spacing: 0) {
        if isFiltering || !filter.isEmpty {
          HStack(spacing: 0) {
            Text(" / ", .accent).frame(width: 3)
            TextField(text: $filter, placeholder: "part of a line", isFocused: isFiltering) {
              isFiltering = false
            }
          }
          .frame(height: 1)
        }
        if shown.isEmpty {
          Text(isLoaded ? nothing : "", .dim).frame(maxHeight: .max, alignment: .topLeading)
        } else {
          List(
            shown, id: \.id,
            selection: Binding(get: { held ?? shown.last?.id }, set: { hold($0, in: shown) })
          ) { line, _ in
            Line(
              Span(line.clock.isEmpty ? "" : "\(line.clock) ", .dim),
              Span(line.level.map { "\($0.rawValue) " } ?? "", style(of: line.level)),
              Span(line.message))
          }
        }
        Text(hints, .dim).showsHints(of: [
          Action.choiceNext.id, Action.filter.id, ListActions.last.id, Action.copy.id,
          Action.back.id,
        ])
      }
    }
    .frame(maxWidth: .max, maxHeight: .max)
    .task { await follow() }
    .onActions([
      ActionHandler(.filter) { isFiltering = true },
      ActionHandler(.choiceNext) { cycle(by: 1) },
      ActionHandler(.choicePrevious) { cycle(by: -1) },
      ActionHandler(.leave) { interface.overlay = nil },
      ActionHandler(.back) { stepBack() },
    ])
    .onCopy(disabled: shown.isEmpty ? "There is no line to copy." : nil) {
      (shown.first { $0.id == held } ?? shown.last).map {
        Clipping(text: $0.text, title: "the line of the log")
      }
    }
  }

  private var title: String {
    let least = level == .trace ? "all levels" : "\(level.rawValue) and above"
    return "Log, \(least), times in UTC, " + (held == nil ? "following" : "held")
  }

  private var hints: String {
    let table = actions.table
    return "\(table.way(to: .choiceNext)) level  \(table.way(to: .filter)) filter  "
      + "\(table.way(to: ListActions.last.id)) follow  \(table.way(to: .copy)) copy  "
      + "\(table.way(to: .back)) close"
  }

  private var nothing: String {
    lines.isEmpty ? "Nothing is written in the log yet." : "No line matches."
  }

  private func style(of level: Logger.Level?) -> Style {
    switch level {
    case .error?, .critical?: .danger
    case .warning?: .warning
    default: .dim
    }
  }

  /// Selecting any line but the last one stops following.
  private func hold(_ id: Int?, in shown: [LogLine]) { held = id == shown.last?.id ? nil : id }

  private func cycle(by step: Int) {
    if let next = Self.levels.element(after: level, step: step) { level = next }
  }

  private func stepBack() {
    if isFiltering || !filter.isEmpty {
      isFiltering = false
      filter = ""
    } else if held != nil {
      held = nil
    } else {
      interface.overlay = nil
    }
  }

  private func follow() async {
    let changes = logReader.changes()
    lines = await logReader.lines()
    isLoaded = true
    for await _ in changes { lines = await logReader.lines() }
  }
}

/// The source of the lines: the program's log.
struct LogReader: Sendable {
  var lines: @Sendable () async -> [LogLine]
  /// Yields when new lines were written.
  var changes: @Sendable () -> AsyncStream<Void>

  static let log = LogReader(lines: { await RallyLog.lastLines() }, changes: { RallyLog.changes() })
}

private struct LogReaderKey: EnvironmentKey {
  static let defaultValue = LogReader.log
}

extension EnvironmentValues {
  var logReader: LogReader {
    get { self[LogReaderKey.self] }
    set { self[LogReaderKey.self] = newValue }
  }
}
