import RallyDomain
import RallyText
import RallyWire

/// How a status is written for the program that shows it.
public enum StatusFormat: Hashable, Sendable {
  /// Text alone, on one line.
  case plain(StatusTemplate?)
  /// Text with tmux's styles.
  case tmux(StatusTemplate?)
  /// A JSON object a line, as waybar-custom(5) has it.
  case waybar(StatusTemplate?)
  /// A JSON object a line: a block of the i3bar protocol, and what i3status-rs reads with `json`.
  case i3bar(StatusTemplate?)
  /// The whole report.
  case json

  /// Reads `tmux`, `waybar`, `i3bar`, a template, or a bar and a template for its text:
  /// `tmux:{requests}`.
  ///
  /// - Throws: `StatusTemplate.Problem`.
  public init(_ text: String) throws(StatusTemplate.Problem) {
    let bars: [(String, (StatusTemplate?) -> StatusFormat)] = [
      ("tmux", StatusFormat.tmux), ("waybar", StatusFormat.waybar), ("i3bar", StatusFormat.i3bar),
    ]
    for (name, format) in bars {
      if text == name {
        self = format(nil)
        return
      }
      if text.hasPrefix("\(name):") {
        self = format(try StatusTemplate(text.dropFirst(name.count + 1)))
        return
      }
    }
    guard text.contains("{") else { throw .unknownFormat(text) }
    self = .plain(try StatusTemplate(text[...]))
  }

  /// One line without its end; nil shows nothing at all.
  ///
  /// - Parameter report: Nil while nobody is signed in, or nothing is known.
  public func line(of report: StatusReport?) -> String {
    switch self {
    case .plain(let template):
      guard let report else { return "" }
      return text(of: report, template, as: .plain)
    case .tmux(let template):
      guard let report else { return "" }
      return template?.text(of: report, as: .tmux) ?? tmuxLine(report)
    case .waybar(let template): return printed(waybar(report, template))
    case .i3bar(let template): return printed(i3bar(report, template))
    case .json: return report.map(printed) ?? "null"
    }
  }

  private func printed(_ value: some Encodable) -> String {
    // Strings, numbers and lists of them can always be encoded.
    (try? WireJSON.escapedText(value)) ?? "{}"
  }

  private func text(
    of report: StatusReport, _ template: StatusTemplate?, as place: StatusPlace
  ) -> String {
    template?.text(of: report, as: place) ?? report.parts(as: place).joined(separator: " · ")
  }

  private func tmuxLine(_ report: StatusReport) -> String {
    var parts = report.parts(as: .tmux)
    if report.waiting > 0 { parts[0] = "#[bold]\(parts[0])#[nobold]" }
    let line = parts.joined(separator: " · ")
    return report.isCurrent ? line : "#[dim]\(line)#[nodim]"
  }

  private func waybar(_ report: StatusReport?, _ template: StatusTemplate?) -> JSONValue {
    guard let report else { return ["text": "", "tooltip": "", "alt": "none", "class": ["none"]] }
    return [
      "text": .string(text(of: report, template, as: .pango)),
      "tooltip": .string(report.lines.map(StatusPlace.pango.escaped).joined(separator: "\n")),
      "alt": .string(report.states[0]), "class": .array(report.states.map(JSONValue.string)),
    ]
  }

  private func i3bar(_ report: StatusReport?, _ template: StatusTemplate?) -> JSONValue {
    let text = report.map { self.text(of: $0, template, as: .pango) }
    let short = report.map { StatusPlace.pango.escaped($0.parts(as: .plain)[0]) }
    let isUrgent = report.map { $0.waiting > 0 } ?? false
    return [
      "full_text": .string(text ?? ""), "text": .string(text ?? ""),
      "short_text": .string(short ?? ""), "markup": "pango", "name": "rally",
      "state": .string(
        report.map { !$0.isCurrent ? "Idle" : $0.waiting > 0 ? "Info" : "Good" } ?? "Idle"),
      "urgent": .bool(isUrgent),
    ]
  }
}

/// Where text of others is put, and what would act there.
public enum StatusPlace: Sendable {
  case plain
  /// A format of tmux, in which `#` begins a style, a command or a variable.
  case tmux
  /// Pango markup, as in bars.
  case pango

  /// The text on one line, as it is read there.
  public func escaped(_ text: String) -> String {
    let clean = text.cleanedForDisplay
    switch self {
    case .plain: return clean
    case .tmux: return clean.replacing("#", with: "##")
    case .pango: return clean.escapedForMarkup
    }
  }
}

extension StatusReport {
  /// What waits for an answer, one piece for each kind: `2 requests`, `1 question`.
  package static func waiting(requests: Int, invitations: Int, questions: Int) -> [String] {
    [(requests, "request"), (invitations, "invitation"), (questions, "question")]
      .filter { count, _ in count > 0 }.map { count, noun in count.counted(noun) }
  }

  /// The pieces of the line, what waits first; never empty.
  func parts(as place: StatusPlace) -> [String] {
    var parts = Self.waiting(
      requests: requests, invitations: invitations, questions: questions)
    if near > 0 { parts.append("\(near) near") }
    if live > 0 { parts.append("\(live) live") }
    if let mission { parts.append("\(place.escaped(mission.title)) \(mission.when)") }
    parts.append(seenText)
    if !link.isEmpty { parts.append(link) }
    if policy != RuntimePolicyCoordinator.PolicyLevel.normal.rawValue { parts.append(policy) }
    if !isCurrent { parts.append("as of \(age)") }
    return parts
  }

  /// `seen by 7 (precise)`, `seen by nobody`, `ghost`, `ghost pending, seen by 7`.
  var seenText: String {
    switch seenLevel {
    case "ghost": "ghost"
    case "ghost-pending": seen > 0 ? "ghost pending, seen by \(seen)" : "ghost pending"
    default: seen > 0 ? "seen by \(seen) (\(seenLevel))" : "seen by nobody"
    }
  }

  /// The same in sentences, for a tooltip.
  var lines: [String] {
    var lines: [String] = []
    if requests > 0 { lines.append("\(requests.counted("friend request"))") }
    if invitations > 0 { lines.append("\(invitations.counted("invitation")) to missions") }
    if questions > 0 { lines.append("\(questions.counted("question")) where you are") }
    lines.append("\(friends.counted("friend")), \(near) near, \(live) live")
    if !nearNames.isEmpty { lines.append("Near: \(nearNames.joined(separator: ", "))") }
    if let mission { lines.append("\(mission.title): \(mission.when)") }
    lines.append(seenText)
    if !link.isEmpty { lines.append("\(link) shows you to whoever has it") }
    lines.append("policy \(policy)")
    if !isCurrent { lines.append("as of \(age)") }
    return lines
  }

  /// States for the style of a bar, the weightiest first; never empty.
  var states: [String] {
    var states: [String] = []
    if !isCurrent { states.append("stale") }
    if waiting > 0 { states.append("waiting") }
    if live > 0 { states.append("live") }
    if states.isEmpty { states.append("idle") }
    states.append(seenLevel.hasPrefix("ghost") ? "ghost" : seen > 0 ? "seen" : "unseen")
    return states + [policy]
  }
}
