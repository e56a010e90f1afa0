import RallyText
import RallyWire
import TerminalKit

extension MissionCard {
  /// The card as an SVG picture of 640 by 480: no script, no font or file from elsewhere; the same
  /// card makes the same text.
  public func svg(timeZone: LocalTimeZone = .current) -> String {
    SVGCard(self, timeZone).text
  }
}

/// Draws a card.
private struct SVGCard {
  private static let size = (width: 640, height: 480)
  private static let margin = 32
  /// How many rows there is room for.
  private static let rowLimit = 11
  private static let rowHeight = 25

  private let card: MissionCard
  private let timeZone: LocalTimeZone
  private var elements: [String] = []

  init(_ card: MissionCard, _ timeZone: LocalTimeZone) {
    self.card = card
    self.timeZone = timeZone
    draw()
  }

  var text: String {
    let (width, height) = Self.size
    return
      ([
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\""
          + " width=\"\(width)\" height=\"\(height)\" role=\"img\">",
        "<title>\(Self.escaped(card.title))</title>",
        "<rect width=\"\(width)\" height=\"\(height)\" rx=\"12\" fill=\"#14171c\"/>",
        "<g font-family=\"ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace\">",
      ] + elements + ["</g>", "</svg>", ""]).joined(separator: "\n")
  }

  private mutating func draw() {
    let right = Self.size.width - Self.margin
    add(card.title, cells: 34, at: Self.margin, 62, size: 28, fill: "#ffffff", isBold: true)
    add(card.summary(in: timeZone), cells: 64, at: Self.margin, 90, size: 15, fill: "#3dd6d0")
    elements.append(
      "<path d=\"M\(Self.margin) 110H\(right)\" stroke=\"#3a3f47\" stroke-width=\"1\"/>")
    let rows = card.rows(in: timeZone)
    let shown = rows.count > Self.rowLimit ? Self.rowLimit - 1 : rows.count
    var y = 142
    for row in rows.prefix(shown) {
      add(row.mark, cells: 1, at: Self.margin, y, fill: row.mark == "✓" ? "#2ecc71" : "#8a919c")
      add(row.title, cells: 24, at: Self.margin + 20, y, fill: "#ffffff")
      add(row.who, cells: 18, at: 264, y, fill: "#3dd6d0")
      add(row.when, cells: 13, at: 530, y, fill: "#c3c9d2", anchor: "end")
      add(row.way, cells: 9, at: right, y, fill: "#8a919c", anchor: "end")
      y += Self.rowHeight
    }
    if rows.count > shown {
      add("and \(rows.count - shown) more", cells: 27, at: Self.margin + 20, y, fill: "#8a919c")
    }
    let foot = Self.size.height - Self.margin
    if let way = card.wayText {
      add(way, cells: 60, at: Self.margin, foot - 24, fill: "#c3c9d2")
    }
    if let people = card.people(limit: 4) {
      add(people, cells: 58, at: Self.margin, foot, fill: "#c3c9d2")
    }
    add("RALLY", cells: 5, at: right, foot, fill: "#3dd6d0", anchor: "end", isBold: true)
  }

  private mutating func add(
    _ text: String, cells: Int, at x: Int, _ y: Int, size: Int = 14, fill: String,
    anchor: String? = nil, isBold: Bool = false
  ) {
    guard !text.isEmpty else { return }
    elements.append(
      "<text x=\"\(x)\" y=\"\(y)\" font-size=\"\(size)\" fill=\"\(fill)\""
        + (anchor.map { " text-anchor=\"\($0)\"" } ?? "")
        + (isBold ? " font-weight=\"bold\"" : "")
        + ">\(Self.escaped(text.truncated(toCells: cells)))</text>")
  }

  /// The text as character data: escaped, without scalars that XML does not allow.
  private static func escaped(_ text: String) -> String {
    let allowed = text.cleanedForDisplay.unicodeScalars.filter {
      !["\u{FFFE}", "\u{FFFF}"].contains($0)
    }
    return String(String.UnicodeScalarView(allowed)).escapedForMarkup
  }
}
