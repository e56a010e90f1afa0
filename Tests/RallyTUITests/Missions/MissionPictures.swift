import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyTUI
@testable import TerminalKit

/// What tests of the Missions tab's pictures share: a viewModel over values, and how it is compared.
protocol MissionPictures {}

extension MissionPictures {
  var id: UUID { MissionSamples.lanterns.id }

  func screen(
    _ viewModel: MissionsViewModel = MissionSamples.viewModel(), openedID: UUID? = nil,
    width: Int = 80,
    height: Int = 19, isPlain: Bool = false, viewState: MissionsViewState = MissionsViewState()
  ) async -> TestScreen {
    let screen = TestScreen(
      size: Size(width: width, height: height), table: .rally, isPlain: isPlain,
      root: MissionsPicture(viewModel: viewModel, openedID: openedID, viewState: viewState))
    await screen.waitUntilIdle()
    return screen
  }

  func pending(_ status: PendingCheckIn.Status) -> MissionsViewModel {
    MissionSamples.viewModel { $0.pending = [MissionSamples.pending(status)] }
  }

  func talking(_ isTyping: Bool) -> MissionsViewState {
    let viewState = MissionsViewState()
    viewState.messageDraft.text(in: id).wrappedValue = "almost there 田中"
    if isTyping { viewState.messageDraft.begin(in: id) }
    return viewState
  }

  /// The clock on the screen so many minutes after noon.
  func at(_ minutes: Int) -> String { MissionSamples.clock(minutes) }

  func expect(
    _ screen: TestScreen, shows expected: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(screen.text == expected, sourceLocation: sourceLocation)
  }
}
