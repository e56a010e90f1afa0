import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyTUI

/// The Missions tab as a person sees it, over values.
@Suite @MainActor struct MissionPictureTests {
  private func screen(
    _ scene: MissionsScene = MissionSamples.scene(), feed: MissionFeed? = MissionSamples.feed,
    openedID: UUID? = nil, width: Int = 80, height: Int = 19, isPlain: Bool = false,
    look: MissionsLook = MissionsLook()
  ) async -> TestScreen {
    let root = MissionsPicture(scene: scene, feed: feed, openedID: openedID, look: look)
    let screen = TestScreen(
      size: Size(width: width, height: height), table: .rally, isPlain: isPlain, root: root)
    await screen.settle()
    return screen
  }

  @Test func `scratch`() async {
    print((await screen()).text)
    print((await screen(width: 120, height: 35)).text)
    print((await screen(width: 60, height: 11)).text)
    print((await screen(openedID: MissionSamples.lanterns.id, width: 60, height: 11)).text)
    print((await screen(openedID: MissionSamples.lanterns.id)).text)
    for standing: PendingCheckIn.Standing in [
      .sending, .queued, .late, .refused("You are 240 m away; Blue door takes 50 m."),
    ] {
      print(
        (await screen(MissionSamples.scene { $0.pending = [MissionSamples.pending(standing)] }))
          .text)
    }
    print((await screen(MissionSamples.scene(active: []))).text)
    print((await screen(MissionSamples.scene(.nearby))).text)
    print((await screen(MissionSamples.scene(.nearby) { $0.nearbyState = .within(5000) })).text)
    print((await screen(MissionSamples.scene(.done))).text)
    print((await screen(isPlain: true)).text)
    print((await screen(openedID: MissionSamples.lanterns.id, isPlain: true)).text)
  }
}
