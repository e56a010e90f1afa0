import RallyDomain
import RallyState
import RallySystem
import TerminalKit

/// The last row of a compact terminal: a toast for its time, else what is out of the ordinary and
/// the hints.
struct CompactBar: View {
  @Environment(\.interface) private var interface

  var body: some View {
    ToastUnderSheets()
    // While a sheet is open the row has its keys.
    if interface.toasts.current == nil || interface.isCovered {
      HStack(spacing: 0) {
        CompactStatus().layoutPriority(1)
        Footer()
      }
      .frame(height: 1)
    }
  }
}

/// The number of marked rows, and the policy where it is not normal.
private struct CompactStatus: View {
  @Environment(\.interface) private var interface
  @Environment(\.navigationService) private var navigationService
  @Environment(\.frameSummary) private var frameSummary

  var body: some View { Line(spans) }

  private var spans: [Span] {
    let sentence = frameSummary.policy.value
    let level = frameSummary.policyLevel.value
    var spans: [Span] = []
    if level != .normal {
      spans.append(Span(" \(sentence.glyph) \(sentence.effect ?? sentence.word) ", level.style))
    }
    if let marks, !marks.ids.isEmpty {
      spans.append(Span(" ✓ \(marks.ids.count) ", .accent.bold))
    }
    return spans
  }

  private var marks: RowMarks? {
    switch navigationService.selectedTab {
    case .map: nil
    case .missions: interface.missionMarks
    case .friends: interface.friendMarks
    }
  }
}

extension RuntimePolicyCoordinator.PolicyLevel {
  var style: Style {
    switch self {
    case .normal: .success
    case .constrained: .warning
    case .critical: .danger
    }
  }
}
