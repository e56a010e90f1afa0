import RallyDomain
import RallySystem
import TerminalKit

/// The keys and the signs of the screen below, with a filter as you type; Enter says more of one.
struct HelpScreen: View {
  @Environment(\.actions) private var actions
  @Environment(\.interface) private var interface
  @Environment(\.navigationService) private var navigationService
  @Environment(\.isPlain) private var isPlain
  @Environment(\.terminalSize) private var terminalSize
  @State private var filter = ""
  @State private var selection: HelpRow.ID?
  @State private var isOpen = false

  var body: some View {
    let rows =
      HelpRow.rows(interface.helpActions, filter: filter, nameOf: actions.table.name)
      + HelpRow.rows(ofSignsOn: navigationService.selectedTab, filter: filter)
    let pages = HelpPages(rows, columns: columns, height: height - Self.around - sentenceRows)
    let selected = pages.actions.first { $0.id == selection } ?? pages.actions.first
    Box(title: "Keys of this screen") {
      if isOpen, let selected {
        HelpDetail(row: selected) { isOpen = false }
      } else {
        VStack(spacing: 0) {
          HStack(spacing: 0) {
            Text(" / ", .accent)
            TextField(text: $filter, placeholder: "type to filter", isFocused: true)
          }
          Rule()
          if let selected {
            HelpColumns(
              columns: pages.pages[pages.page(of: selected.id)], width: columnWidth,
              selected: selected.id)
          } else {
            Text(" No key does that here, and no sign says it.", .dim)
          }
          Spacer()
          if sentenceRows > 0 {
            Rule()
            Paragraph(selected?.explanation ?? "", .dim).padding(horizontal: 1)
              .frame(height: sentenceRows - 1, alignment: .topLeading)
          }
          HStack(spacing: 0) {
            KeyHints([(.submit, "details"), (.back, "close")])
            Spacer()
            Text("page \(pages.page(of: selected?.id) + 1) of \(max(1, pages.pages.count))", .dim)
          }
          .frame(height: 1)
        }
        .onActions(movement(in: pages, from: selected))
      }
    }
    .frame(maxWidth: Self.width, maxHeight: height)
  }

  /// Cells of the sheet, which an 80-column terminal has room for.
  private static let width = 76
  /// Rows of the border, the filter, its rule and the hints.
  private static let around = 5

  /// Rows for the sentence on the selected row, with its rule: where all the rest has room.
  private var sentenceRows: Int { height >= 30 ? 3 : 0 }

  private var height: Int { min(40, terminalSize.sheetHeight) }
  private var columns: Int { terminalSize.width < Size.full.width || isPlain ? 1 : 2 }
  private var columnWidth: Int { (min(Self.width, terminalSize.width) - 4) / columns }

  private func movement(in pages: HelpPages, from selected: HelpRow?) -> [ActionHandler] {
    let ids = pages.actions.map(\.id)
    let page = pages.page(of: selected?.id)
    func move(by step: Int) {
      guard let selected, let index = ids.firstIndex(of: selected.id) else { return }
      selection = ids[min(max(0, index + step), ids.count - 1)]
    }
    return [
      ActionHandler(ListActions.down.action) { move(by: 1) },
      ActionHandler(ListActions.up.action) { move(by: -1) },
      ActionHandler("page-down") { selection = pages.first(ofPage: page + 1) ?? selection },
      ActionHandler("page-up") { selection = pages.first(ofPage: page - 1) ?? selection },
      ActionHandler(.submit) { isOpen = selected != nil },
    ]
  }
}

/// One page: keys and what they do, in columns.
private struct HelpColumns: View {
  let columns: [[HelpRow]]
  let width: Int
  let selected: HelpRow.ID

  var body: some View {
    let keyWidth = (columns.joined().map(\.key.cellWidth).max() ?? 0) + 2
    HStack(spacing: 0) {
      ForEach(Array(columns.enumerated()), id: \.offset) { column in
        VStack(spacing: 0) {
          ForEach(column.element) { row in
            line(row, keyWidth: keyWidth)
              .frame(height: 1)
              .anchorsCursor(row.id == selected)
          }
        }
        .frame(width: width)
      }
    }
  }

  private func line(_ row: HelpRow, keyWidth: Int) -> Line {
    if row.isHeading { return Line(Span(row.title, .title)) }
    let key = row.key.padded(toCells: keyWidth)
    if row.id == selected { return Line(Span("▸\(key)\(row.title)", .selection)) }
    return Line(
      Span(" \(key)", row.isEnabled ? .accent : .dim),
      Span(row.title, row.isEnabled ? .normal : .dim))
  }
}

/// What the help says of one action.
private struct HelpDetail: View {
  let row: HelpRow
  let onClose: @MainActor () -> Void

  var body: some View {
    VStack(spacing: 0) {
      if let sentence = row.sentence {
        Text("\(row.key)  \(row.title)", .title)
        Paragraph(sentence)
      }
      if let details = row.details {
        Text(row.title, .title)
        Paragraph(details.summary)
        if let reason = details.disabledReason { Paragraph("Not now: \(reason)", .warning) }
        Text("")
        Paragraph("Keys: \(details.keys)", .dim)
        Paragraph("Command line: \(details.command)", .dim)
        ForEach(details.others, id: \.self) { Paragraph("Also \($0)", .dim) }
      }
    }
    .padding(horizontal: 1)
    .frame(maxWidth: .max)
    .scrollsIfTooHigh()
    .onAction(.back) { onClose() }
    .onAction(.submit) { onClose() }
  }
}
