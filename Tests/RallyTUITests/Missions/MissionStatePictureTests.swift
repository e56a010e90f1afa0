import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyTUI
@testable import TerminalKit

/// The Missions tab where there is little or nothing, and how it is read aloud.
@Suite struct MissionStatePictureTests: MissionPictures {
  private let failure = CommunityLoadState.failed(
    CommunityViewError(
      title: "Missions could not be fetched", description: "The server is busy. r tries again.",
      technicalDetails: ""))
  @Test func `without a mission the tab says how to begin, alone if need be`() async {
    expect(
      await screen(MissionSamples.viewModel(active: [])),
      shows: """
          Active 0  Nearby 0  Done 1
                                                │
          All done: no mission is open. What    │
          you did is in the list Done.          │
                                                │
          c new    S-Tab previous list          │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
        """)
  }

  @Test func `without a mission the tab names one that is near`() async {
    expect(
      await screen(MissionSamples.viewModel(active: []) { $0.nearby = [MissionSamples.fogRun] }),
      shows: """
          Active 0  Nearby 1  Done 1
                                                │
          Fog run at dawn is near you, 9,116    │
          km NW.                                │
                                                │
          Tab next list    c new                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
        """)
  }

  @Test func `nearby says what it needs`() async {
    expect(
      await screen(MissionSamples.viewModel(.nearby)),
      shows: """
          Active 4  Nearby 0  Done 1
                                                │
          Rally does not know where you are.    │
          :here Lisbon sets it; nobody sees it  │
          unless you share it.                  │
                                                │
          : cmd    c new                        │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
        """)
  }

  @Test func `nothing nearby offers to viewState further`() async {
    expect(
      await screen(MissionSamples.viewModel(.nearby) { $0.nearbyState = .within(5000) }),
      shows: """
          Active 4  Nearby 0  Done 1
                                                │
          No mission within 5 km of you.        │
                                                │
          w wider    c new                      │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
        """)
  }

  @Test func `what is done shows what became of it`() async {
    expect(
      await screen(MissionSamples.viewModel(.done)),
      shows: """
          Active 4  Nearby 0  Done 1
        ▸✓ Night market           1/1 completed │ ✓ Night market
           ▰▰▰▰▰▰▰▰  kenji you             here │ completed \(at(-120)) · 2 of 6 people
                                                │ friends see it · here · within 500 m
                                                │ ○ kenji  ● you
                                                │
                                                │ ✓ Find the noodles        kenji \(at(-120))
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │ Activity                       ● live
                                                │ Fetching…
                                                │ s say something
        """)
  }

  @Test func `a failed fetch keeps the rows and says how old they are`() async {
    expect(
      await screen(MissionSamples.viewModel { $0.loadState = failure }),
      shows: """
          Active 4  Nearby 0  Done 1                                        as of \(at(0))
        ▸◆ Lanterns of Alfama     2/4 1h40 left │ ends \(at(100)) · 4 of 6 people
           ▰▰▰▰▱▱▱▱  rui lu you +1         here │ friends see it · here · within 500 m
         ? Fog run at dawn        0/1     in 3h │ ● rui  ● you  ○ lu  ○ max
           ● you are invited        9,116 km NW │ ? tomas invited
         ◆ 木を二十本 植える …   9/20   6d left │ Four lights before the last tram.
           ▰▰▰▱▱▱▱▱  kenji lu you … 9,600 km SW │ Meet at the stairs.
         ◆ Talk by the river             no end │
           you                             here │ ✓ Red lantern               rui \(at(-40))
                                                │ ✓ Stone cat                 you \(at(-21))
                                                │ ▸ Blue door                   100 m E
                                                │ · Well of voices              360 m N
                                                │
                                                │ Activity                       ● live
                                                │ \(at(-40))  rui found Red lantern
                                                │ \(at(-21))  you found Stone cat
                                                │ \(at(-2))  rui: “left at the stairs, then
                                                │        up until you hear the tram”
                                                │ s say something
        """)
  }

  @Test func `a failed first fetch says why`() async {
    expect(
      await screen(
        MissionSamples.viewModel(active: []) {
          $0.loadState = failure
          $0.asOf = nil
        }),
      shows: """
          Active  Nearby  Done
                                                │
          The server is busy. r tries again.    │
                                                │
          r refresh                             │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
        """)
  }

  @Test func `offline with nothing known is not the same as nothing there`() async {
    expect(
      await screen(
        MissionSamples.viewModel(active: []) {
          $0.isOffline = true
          $0.asOf = nil
        }),
      shows: """
          Active  Nearby  Done
                                                │
          The server was not reached, and no    │
          missions are stored.                  │
                                                │
          r refresh                             │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
        """)
  }

  @Test func `a reader of lists gets sentences, without bars and marks`() async {
    expect(
      await screen(isPlain: true),
      shows: """
        Active 4 is open; Nearby 0; Done 1
        Lanterns of Alfama, 2 of 4 done, ends in 1h40, with rui lu you +1, here

        Fog run at dawn, you are invited, 0 of 1 done, starts in 3h, with max zoe, 9,116
        km NW
        木を二十本 植える 🌳 together, 9 of 20 done, ends in 6d, with kenji lu you +9,
        9,600 km SW
        Talk by the river, no end, with you, here
        """)
  }

  @Test func `a reader of lists gets an open mission in words`() async {
    expect(
      await screen(openedID: id, isPlain: true),
      shows: """
        Active 4 is open; Nearby 0; Done 1
         Lanterns of Alfama
         ends \(at(100)),  4 of 6 people,  friends see it,  here,  within 500 m
         rui online,  you,  lu,  max,  tomas invited,
         Four lights before the last tram. Meet at the stairs.

         done: Red lantern                                                    rui \(at(-40))
         done: Stone cat                                                      you \(at(-21))
         next: Blue door                                                        100 m E
         to do: Well of voices                                                  360 m N


         Activity                                                                  live
         \(at(-60))  mission started by rui
         \(at(-58))  you joined
         \(at(-40))  rui found Red lantern
         \(at(-21))  you found Stone cat
         \(at(-2))  rui: "left at the stairs, then up until you hear the tram"
         s say something
        """)
  }

  @Test func `friends are chosen for an invitation, those in it said to be so`() async {
    let list = InviteChoices(
      mission: MissionSamples.lanterns, friends: (1...7).map { Samples.friend($0) },
      selection: .constant(Samples.id(5)), chosen: [Samples.id(5), Samples.id(6)])
    let screen = TestScreen(size: Size(width: 80, height: 13), table: .rally, root: list)
    await screen.waitUntilIdle()
    expect(
      screen,
      shows: """
        ╭─ Invite to Lanterns of Alfama ───────────────────────╮
        │   [ ] 田中 健司            @kenji                    │
        │       Lucía Gómez          @lu              in it    │
        │       Rui Costa            @rui             in it    │
        │       Max Lind             @max             in it    │
        │  ▸[x] Zoe Brandt           @zoe                      │
        │   [x] Andrew Okoro         @okoro                    │
        │       Tomás Rey            @tomas           invited  │
        │                                                      │
        │  2 chosen · 2 places are free                        │
        │  Space choose  ↵ invite  c code  Esc close           │
        ╰──────────────────────────────────────────────────────╯
        """)
  }
}
