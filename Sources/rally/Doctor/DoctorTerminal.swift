import Glibc
import RallyCommand
import RallyDomain
import RallySystem
import TerminalKit
import TerminalNcurses

/// The terminal according to its environment, terminfo and its own answers.
struct DoctorTerminal: Encodable {
  var type: String?
  var isTerminal: Bool
  /// Whether colours are wanted at all.
  var colors: Bool
  var language: String?
  /// What the interface draws with: `mono`, `sixteen`, `indexed`, `direct`.
  var colorMode: String
  var colorReason: String
  /// Its own name; nil if it was not queried or did not answer.
  var name: String?
  var background: String?
  /// Its capabilities; nil if it was not queried.
  var supports: Supports?
  var widths: [TerminalQueryResult.Width]?

  struct Supports: Encodable {
    var keyboard, paste, mouse, focus, synchronized, clipboard: TerminalQueryResult.Answer

    init(_ found: TerminalQueryResult) {
      keyboard = found.keyboard
      paste = found.paste
      mouse = found.mouse
      focus = found.focus
      synchronized = found.synchronized
      clipboard = found.clipboard
    }

    var sentence: String {
      [
        ("keyboard protocol", keyboard), ("paste", paste), ("mouse", mouse), ("focus", focus),
        ("synchronized frames", synchronized), ("clipboard", clipboard),
      ].map { "\($0) \($1.rawValue)" }.joined(separator: ", ")
    }
  }

  enum CodingKeys: String, CodingKey {
    case type, colors, language, name, background, supports, widths
    case isTerminal = "is_terminal"
    case colorMode = "color_mode"
    case colorReason = "color_reason"
  }

  private let knownColors: Int?
  private let isAnswering: Bool?

  init(
    _ setup: Setup, _ global: GlobalOptions, environment: [String: String],
    examination: TerminalQueryResult?
  ) {
    type = environment["TERM"]
    isTerminal = isatty(STDOUT_FILENO) == 1
    colors = environment["NO_COLOR", default: ""].isEmpty
    language = TerminalCapabilities.locale(environment)
    knownColors = NcursesTerminal.colors(ofType: type ?? "", environment: environment)
    let choice =
      global.color == .auto ? setup.configuration.color.rawValue : global.color.rawValue
    let wanted = ColorMode(choice: choice, environment: environment)
    colorMode = "\(wanted.limited(to: knownColors ?? 0))"
    colorReason =
      if choice == "never" {
        "colours are switched off"
      } else if wanted == .mono {
        "NO_COLOR is set"
      } else if knownColors == 1 << 24 {
        TerminalCapabilities.hasDirectColors(
          type: type ?? "", extensions: [], environment: environment)
          ? "COLORTERM is \(environment["COLORTERM", default: ""])"
          : "the system's description of \(type ?? "") has 24 bits"
      } else if let knownColors {
        "the system's description of \(type ?? "") has \(knownColors) colours"
      } else {
        "the system has no description of \(type.map { "“\($0)”" } ?? "a terminal without TERM")"
      }
    name = examination?.name
    background = examination?.background
    isAnswering = examination.map(\.hasAnswered)
    supports = examination?.hasAnswered == true ? examination.map(Supports.init) : nil
    widths = examination?.hasAnswered == true ? examination?.widths : nil
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(type, forKey: .type)
    try container.encode(isTerminal, forKey: .isTerminal)
    try container.encode(colors, forKey: .colors)
    try container.encode(language, forKey: .language)
    try container.encode(colorMode, forKey: .colorMode)
    try container.encode(colorReason, forKey: .colorReason)
    try container.encodeIfPresent(name, forKey: .name)
    try container.encodeIfPresent(background, forKey: .background)
    try container.encodeIfPresent(supports, forKey: .supports)
    try container.encodeIfPresent(widths, forKey: .widths)
  }

  var rows: [[String]] {
    var rows = [
      [
        "terminal",
        [type ?? "TERM is not set", name, background.map { "\($0) background" }]
          .compactMap(\.self).joined(separator: ", "),
      ],
      ["colours", "\(colorMode), since \(colorReason)"],
    ]
    if let supports { rows.append(["understands", supports.sentence]) }
    if let widths {
      let measured = widths.filter { $0.measured != nil }
      let odd = measured.filter(\.differs)
      rows.append([
        "widths",
        measured.isEmpty
          ? "the terminal does not say where its cursor is"
          : odd.isEmpty
            ? "all \(measured.count) kinds of signs as Rally counts them"
            : odd.map { "\($0.name) \($0.measured ?? 0) for \($0.expected)" }
              .joined(separator: ", "),
      ])
    }
    rows.append(["language", language ?? "not set"])
    return rows
  }

  var problems: [DoctorProblem] {
    var problems: [DoctorProblem] = []
    if knownColors == nil {
      problems.append(
        DoctorProblem(
          "terminal", "The system has no description of TERM=\(type ?? "").",
          "Set TERM to what your terminal is, such as xterm-256color; ncurses-term has more.",
          isGrave: isTerminal))
    }
    if let language, !language.uppercased().filter({ $0.isLetter || $0.isNumber }).contains("UTF8")
    {
      problems.append(
        DoctorProblem(
          "language", "\(language) is no UTF-8: names and signs may be shown as question marks.",
          "Set LANG to C.UTF-8, or to your language with .UTF-8 at its end.", isGrave: false))
    }
    if isAnswering == false {
      problems.append(
        DoctorProblem(
          "terminal", "The terminal answered nothing within 0.8 s.",
          "Nothing is lost by it; over a slow connection ask again.", isGrave: false))
    }
    let odd = (widths ?? []).filter(\.differs)
    let wide = odd.filter { $0.expected == 1 && $0.measured == 2 }
    if !wide.isEmpty {
      problems.append(
        DoctorProblem(
          "widths", "Two cells for \(wide.map(\.name).joined(separator: ", ")).",
          "Let the terminal draw ambiguous signs narrow (a setting of most), else frames shift."))
    }
    let others = odd.filter { !wide.contains($0) }
    if !others.isEmpty {
      problems.append(
        DoctorProblem(
          "widths", "Other widths for \(others.map(\.name).joined(separator: ", ")).",
          "Rows with them may be shifted; a newer terminal, or tmux, knows newer Unicode.",
          isGrave: false))
    }
    return problems
  }
}
