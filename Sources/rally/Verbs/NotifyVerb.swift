import ArgumentParser
import FoundationEssentials
import Glibc
import RallyCommand
import RallyDomain
import RallySystem
import RallyWords

/// Shows how the terminal handles notifications.
struct NotifyVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notify", abstract: "Try notifications in this terminal.",
    discussion: """
      Each way is written to the terminal itself, so that you see which of them arrive; standard \
      output says which one the interface takes and why. Look at another window meanwhile: most \
      terminals show nothing of the one that is looked at.
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Send a notification in each way.") var test = false
  @Option(help: "Send only this way: auto, bell, osc9, osc777, osc99 or dbus.")
  var way: NotificationWay?

  func validate() throws {
    guard test else { throw ValidationError("Say --test to try notifications.") }
    guard way != NotificationWay.none else {
      throw ValidationError(
        "Choose a way that sends something: auto, bell, osc9, osc777, osc99, dbus.")
    }
  }

  func run() async throws {
    let environment = ProcessInfo.processInfo.environment
    let service = try global.configurationService()
    let wanted = service.load().configuration.notifications.way
    var report = NotificationReport(wanted, environment: environment)
    let terminal = open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC)
    guard terminal >= 0 else {
      throw VerbFailure(
        .failed, "There is no terminal to write to.",
        advice: "Run it in the terminal that the interface runs in.")
    }
    defer { close(terminal) }
    let desktop = DesktopNotifier(environment: environment)
    let ways =
      way.map { [$0] } ?? [.bell, .osc9, .osc777, .osc99] + (desktop == nil ? [] : [.dbus])
    for way in ways {
      if way == .dbus || way == .auto && report.way == NotificationWay.dbus.rawValue {
        try await send(desktop, global)
        report.sent?.append(NotificationWay.dbus.rawValue)
        continue
      }
      let route = NotificationRoute(way, environment: environment)
      let announcement = Announcement(
        level: .message, text: "This notification came by \(route.way.rawValue).")
      Output.write(route.bytes(for: announcement), to: terminal)
      report.sent?.append(route.way.rawValue)
    }
    let output = Output(options: global)
    if global.json { try output.json(report) } else { output.table(report.rows) }
    if report.multiplexer == NotificationRoute.Multiplexer.tmux.rawValue {
      output.message("tmux passes notifications on only with: set -g allow-passthrough on")
    }
  }
}

extension NotifyVerb {
  private func send(_ desktop: DesktopNotifier?, _ global: GlobalOptions) async throws {
    guard let desktop else {
      throw VerbFailure(
        .failed, "There is no session bus of yours here.",
        advice: "Over SSH the desktop is another machine's; take osc9, osc777, osc99 or bell.")
    }
    let announcement = Announcement(
      level: .message, text: "This notification came by \(NotificationWay.dbus.rawValue).")
    if let problem = await desktop.show(announcement) {
      throw VerbFailure(
        .failed, "The desktop did not take it: \(problem).",
        advice: "Is a notification service running?")
    }
  }
}

extension NotificationWay: ExpressibleByArgument {}

/// How the interface sends notifications in this terminal.
struct NotificationReport: Encodable {
  /// The configured way.
  var wanted: String
  /// The way that the interface uses here.
  var way: String
  var reason: String
  var multiplexer: String?
  /// The ways that were tried just now; nil without `--test`.
  var sent: [String]?

  init(_ wanted: NotificationWay, environment: [String: String], isTest: Bool = true) {
    let route = NotificationRoute(wanted, environment: environment)
    self.wanted = wanted.rawValue
    let isDesktops =
      (wanted == .auto || wanted == .dbus) && DesktopNotifier(environment: environment) != nil
    way = isDesktops ? NotificationWay.dbus.rawValue : route.way.rawValue
    reason = isDesktops ? "a session bus is there" : route.reason
    multiplexer = isDesktops ? nil : route.multiplexer?.rawValue
    sent = isTest ? [] : nil
  }

  /// `osc777, since VTE_VERSION is set; through tmux`
  var sentence: String {
    "\(way), since \(reason)" + (multiplexer.map { "; through \($0)" } ?? "")
  }

  var rows: [[String]] {
    [
      ["configured", wanted], ["way", way], ["because", reason],
      ["through", multiplexer ?? "nothing"], ["sent", (sent ?? []).joined(separator: ", ")],
    ]
  }
}
