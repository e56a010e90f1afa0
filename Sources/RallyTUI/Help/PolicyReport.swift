import RallyDomain
import RallySystem
import RallyWire
import TerminalKit

/// All device signals with their sources, and the policy that follows from them.
struct PolicyReport: View {
  @Environment(\.runtimePolicyCoordinator) private var runtimePolicyCoordinator
  @Environment(\.interface) private var interface

  var body: some View {
    Box(title: "Runtime policy") {
      VStack(spacing: 0) {
        Line(
          Span("\(runtimePolicyCoordinator.policySentence.text)", .title),
          Span("  \(effect)", .dim))
        Text("")
        ForEach(runtimePolicyCoordinator.signalReport()) { report in
          Line(
            Span(report.signal.name.padded(toCells: 12)),
            Span(report.value.padded(toCells: 10), report.override == nil ? .normal : .accent),
            Span(Self.origin(of: report), .dim))
          if report.providers.count > 1 { Paragraph(Self.chain(of: report), .dim) }
        }
        Text("")
        Paragraph(
          "Over SSH these are the host's signals. Set your own with :policy SIGNAL VALUE, "
            + "for example :policy low-power on; :policy auto follows the device again.", .dim)
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 76)
    .onAction(.leave) { interface.overlay = nil }
  }

  private var effect: String {
    runtimePolicyCoordinator.shouldEnableSocialRealtime
      ? "changes arrive as they happen"
      : "lists are asked for every \(runtimePolicyCoordinator.mapSyncInterval.components.seconds) s"
  }

  /// `UPower: off, taken; battery BAT0: off; not there: power profiles, platform profile`
  private static func chain(of report: SignalReport) -> String {
    let present = report.providers.filter(\.isThere).map { provider in
      "\(provider.provider): \(provider.says)" + (provider.isTaken ? ", taken" : "")
    }
    let missing = report.providers.filter { !$0.isThere }.map(\.provider)
    let rest = missing.isEmpty ? [] : ["not there: \(missing.joined(separator: ", "))"]
    return (present + rest).joined(separator: "; ")
  }

  private static func origin(of report: SignalReport) -> String {
    var parts = [report.source]
    if let age = report.age { parts.append("\(age.components.seconds) s ago") }
    if let detail = report.detail { parts.append(detail) }
    if report.override != nil, let sensed = report.sensed { parts.append("device says \(sensed)") }
    return parts.joined(separator: " · ")
  }
}
