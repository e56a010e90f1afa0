import RallyDomain
import RallySystem
import RallyWire
import TerminalKit

/// The preview of an import file; Enter imports it and shows the outcome of each mission on its
/// row.
struct ImportSheet: View {
  let path: String

  @Environment(\.syncCoordinator) private var syncCoordinator
  @Environment(\.interface) private var interface
  @State private var store: ImportStore
  @State private var selection: Int?

  init(path: String, store: ImportStore) {
    self.path = path
    _store = State(wrappedValue: store)
  }

  var body: some View {
    ImportList(file: store, selection: $selection)
      .task {
        await store.read(path)
        if !store.rows.isEmpty { selection = 0 }
      }
      .actions([Self.run], in: self)
      .onAction(.leave) { interface.overlay = nil }
  }

  /// Continues when the sheet is closed, so that a file is not imported in part.
  private func runImport() {
    let (store, interface) = (store, interface)
    Task {
      interface.history.close("An import")
      _ = await store.run()
      if let sentence = store.result { interface.say(sentence, kind: store.resultKind) }
      syncCoordinator.syncOnRequest()
    }
  }
}

extension ImportSheet {
  static let run = FeatureAction<Self>(
    id: "import.run", name: "import-now", title: "import",
    summary: "Create the missions of the file.", keys: ["Enter"], section: "Missions",
    disabled: { $0.store.whyNot }, run: { $0.runImport() })
}

extension ImportStore {
  /// Why nothing can be imported now; nil if Enter starts the import.
  var whyNot: String? {
    switch stage {
    case .reading, .running: "One moment."
    case .finished: "The import is finished."
    case .previewed: preview.items.isEmpty ? "The file has no missions." : nil
    }
  }

  /// A summary of the run; nil before it.
  var result: String? {
    if let problem { return problem }
    guard stage == .finished else { return nil }
    let made = outcomes.count(where: \.isMade)
    let refused = outcomes.count - made
    return "\(made.counted("mission")) imported"
      + (refused == 0 ? "." : ", \(refused) refused.")
  }

  var resultKind: Toast.Kind {
    problem == nil && outcomes.allSatisfy(\.isMade) ? .success : .warning
  }

  /// Missions and problems, sorted by the line of the file.
  var rows: [ImportListRow] {
    let missions = preview.items.enumerated().map { index, item in
      ImportListRow(
        line: item.line, title: item.call.title, note: note(index, item.call),
        isProblem: outcomes.indices.contains(index) && !outcomes[index].isMade)
    }
    let problems = preview.problems.map {
      ImportListRow(line: $0.line, title: $0.sentence, note: "", isProblem: true)
    }
    return (missions + problems).sorted { $0.line < $1.line }
  }

  private func note(_ index: Int, _ call: CreateMission) -> String {
    if outcomes.indices.contains(index) { return outcomes[index].sentence }
    if stage == .running { return "…" }
    let count = call.objectives?.count ?? 0
    let radius = GeoText.distance(call.radiusMetres)
    return count == 0 ? radius : "\(radius), \(count.counted("objective"))"
  }
}

struct ImportListRow: Hashable {
  var line: Int
  var title: String
  var note: String
  var isProblem: Bool
}

/// The sheet without its actions, so that tests can render it.
struct ImportList: View {
  let file: ImportStore
  let selection: Binding<Int?>

  @Environment(\.terminalSize) private var terminalSize

  private static let width = 76

  var body: some View {
    let rows = Array(file.rows.enumerated())
    Box(title: "Import") {
      VStack(spacing: 0) {
        switch file.stage {
        case .reading: ProgressText("Reading…")
        case .previewed, .running: Text(file.preview.sentence)
        case .finished:
          if file.problem == nil { Text(file.result ?? "") }
        }
        if !rows.isEmpty {
          let columns = ImportColumns(file.rows, width: min(terminalSize.width, Self.width) - 6)
          List(rows, id: \.offset, selection: selection) { row, isSelected in
            columns.line(row.element, isSelected: isSelected)
          }
          .frame(height: min(rows.count, 12, max(3, terminalSize.height - 7)))
        }
        if let problem = file.problem { Paragraph(problem, .danger) }
        Text("")
        if file.whyNot == nil {
          ChoiceLine(title: "Import", action: ImportSheet.run.action, otherTitle: "Close")
        } else {
          KeyHints([(.back, "close")])
        }
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: Self.width)
  }
}

/// The column widths of the list, in cells.
private struct ImportColumns {
  /// The width of the line number and a blank.
  let line: Int
  let width: Int

  init(_ rows: [ImportListRow], width: Int) {
    line = String(rows.map(\.line).max() ?? 0).count + 1
    self.width = width
  }

  /// The outcome is shown in full, as long as that leaves 20 cells for the title.
  func line(_ row: ImportListRow, isSelected: Bool) -> Line {
    let room = max(20, width - 1 - line - 2 - (row.note.isEmpty ? 0 : row.note.cellWidth + 2))
    return Line(
      Span(isSelected ? "▸" : " "), Span("\(row.line)".padded(toCells: line), .dim),
      Span(row.isProblem ? "! " : "  ", .warning), Span(row.title.truncated(toCells: room)),
      Span(row.note.isEmpty ? "" : "  \(row.note)", .dim))
  }
}
