import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyTUI

/// The Missions tab as a person sees it, over values.
@Suite @MainActor struct MissionPictureTests {
  private let id = MissionSamples.lanterns.id
  private let failure = CommunityLoadState.failed(
    CommunityViewError(
      title: "Missions could not be fetched", description: "The server is busy. r tries again.",
      technicalDetails: ""))

  @Test func `list and detail beside each other on 80 by 24`() async {
    expect(
      await screen(),
      shows: """
          Active 4  Nearby 0  Done 1
        ▸◆ Lanterns of Alfama       2/4 ↟ 1h40  │ ◆ Lanterns of Alfama
           ▰▰▰▰▱▱▱▱  rui lu you +1         here │ ends \(at(100)) · 4 of 6 places
         ? Fog run at dawn          0/1 in 3h   │ friends see it · here · within 500 m
           ▱▱▱▱▱▱▱▱  you are invit… 9,116 km NW │ ● rui  ● you  ○ lu  ○ max
         ◆ 木を二十本 植える 🌳 …  9/20 ↟ 6d    │ ? tomas invited
           ▰▰▰▱▱▱▱▱  kenji lu you … 9,600 km SW │ Four lights before the last tram.
         ◆ Talk by the river            open    │ Meet at the stairs.
           you                             here │
                                                │ ✓ Red lantern               rui \(at(-40))
                                                │ ✓ Stone cat                 you \(at(-21))
                                                │ ▸ Blue door                   100 m E
                                                │ · Well of voices              360 m N
                                                │
                                                │ Activity                       ● live
                                                │ \(at(-2))  rui: “left at the stairs, then
                                                │        up until you hear the tram”
                                                │ \(at(-21))  you found Stone cat
                                                │ s say something
        """)
  }

  @Test func `on 120 by 40 both have more room`() async {
    expect(
      await screen(width: 120, height: 35),
      shows: """
          Active 4  Nearby 0  Done 1
        ▸◆ Lanterns of Alfama                           2/4 ↟ 1h40  │ ◆ Lanterns of Alfama
           ▰▰▰▰▰▰▱▱▱▱▱▱  rui lu you +1                         here │ ends \(at(100)) · 4 of 6 places · friends see it · here
         ? Fog run at dawn                              0/1 in 3h   │ within 500 m
           ▱▱▱▱▱▱▱▱▱▱▱▱  you are invited                9,116 km NW │ ● rui  ● you  ○ lu  ○ max  ? tomas invited
         ◆ 木を二十本 植える 🌳 together               9/20 ↟ 6d    │ Four lights before the last tram. Meet at the stairs.
           ▰▰▰▰▰▱▱▱▱▱▱▱  kenji lu you +9                9,600 km SW │
         ◆ Talk by the river                                open    │ ✓ Red lantern                                   rui \(at(-40))
           you                                                 here │ ✓ Stone cat                                     you \(at(-21))
                                                                    │ ▸ Blue door                                       100 m E
                                                                    │ · Well of voices                                  360 m N
                                                                    │
                                                                    │ Activity                                           ● live
                                                                    │ \(at(-2))  rui: “left at the stairs, then up until you hear
                                                                    │        the tram”
                                                                    │ \(at(-21))  you found Stone cat
                                                                    │ \(at(-40))  rui found Red lantern
                                                                    │ \(at(-58))  you joined
                                                                    │ \(at(-60))  mission started by rui
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
                                                                    │
                                                                    │ s say something
        """)
  }

  @Test func `on 60 by 16 the list has the screen`() async {
    expect(
      await screen(width: 60, height: 11),
      shows: """
          Active 4  Nearby 0  Done 1
        ▸◆ Lanterns of Alfama                           2/4 ↟ 1h40
           ▰▰▰▰▰▰▱▱▱▱▱▱  rui lu you +1                         here
         ? Fog run at dawn                              0/1 in 3h
           ▱▱▱▱▱▱▱▱▱▱▱▱  you are invited                9,116 km NW
         ◆ 木を二十本 植える 🌳 together               9/20 ↟ 6d
           ▰▰▰▰▰▱▱▱▱▱▱▱  kenji lu you +9                9,600 km SW
         ◆ Talk by the river                                open
           you                                                 here
        """)
  }

  @Test func `on 60 by 16 a mission that was opened has the screen, at what is next`() async {
    expect(
      await screen(openedID: id, width: 60, height: 11),
      shows: """
          Active 4  Nearby 0  Done 1
         ◆ Lanterns of Alfama
         ends \(at(100)) · 4 of 6 places · friends see it · here
         within 500 m
         ● rui  ● you  ○ lu  ○ max  ? tomas invited
         Four lights before the last tram. Meet at the stairs.

         ✓ Red lantern                                    rui \(at(-40))
         ✓ Stone cat                                      you \(at(-21))
         ▸ Blue door                                        100 m E
         s say something
        """)
  }

  @Test func `in an open mission keys are at what is to be done next`() async {
    expect(
      await screen(openedID: id),
      shows: """
          Active 4  Nearby 0  Done 1
        ▸◆ Lanterns of Alfama       2/4 ↟ 1h40  │ ◆ Lanterns of Alfama
           ▰▰▰▰▱▱▱▱  rui lu you +1         here │ ends \(at(100)) · 4 of 6 places
         ? Fog run at dawn          0/1 in 3h   │ friends see it · here · within 500 m
           ▱▱▱▱▱▱▱▱  you are invit… 9,116 km NW │ ● rui  ● you  ○ lu  ○ max
         ◆ 木を二十本 植える 🌳 …  9/20 ↟ 6d    │ ? tomas invited
           ▰▰▰▱▱▱▱▱  kenji lu you … 9,600 km SW │ Four lights before the last tram.
         ◆ Talk by the river            open    │ Meet at the stairs.
           you                             here │
                                                │ ✓ Red lantern               rui \(at(-40))
                                                │ ✓ Stone cat                 you \(at(-21))
                                                │ ▸ Blue door                   100 m E
                                                │ · Well of voices              360 m N
                                                │
                                                │ Activity                       ● live
                                                │ \(at(-2))  rui: “left at the stairs, then
                                                │        up until you hear the tram”
                                                │ \(at(-21))  you found Stone cat
                                                │ s say something
        """)
  }

  @Test func `a check-in shows at once as on its way`() async {
    expect(
      await screen(pending(.sending)),
      shows: """
          Active 4  Nearby 0  Done 1
        ▸◆ Lanterns of Alfama       2/4 ↟ 1h40  │ ◆ Lanterns of Alfama
           ▰▰▰▰▱▱▱▱  rui lu you +1         here │ ends \(at(100)) · 4 of 6 places
         ? Fog run at dawn          0/1 in 3h   │ friends see it · here · within 500 m
           ▱▱▱▱▱▱▱▱  you are invit… 9,116 km NW │ ● rui  ● you  ○ lu  ○ max
         ◆ 木を二十本 植える 🌳 …  9/20 ↟ 6d    │ ? tomas invited
           ▰▰▰▱▱▱▱▱  kenji lu you … 9,600 km SW │ Four lights before the last tram.
         ◆ Talk by the river            open    │ Meet at the stairs.
           you                             here │
                                                │ ✓ Red lantern               rui \(at(-40))
                                                │ ✓ Stone cat                 you \(at(-21))
                                                │ ~ Blue door        on its way 100 m E
                                                │ · Well of voices              360 m N
                                                │
                                                │ Activity                       ● live
                                                │ \(at(-2))  rui: “left at the stairs, then
                                                │        up until you hear the tram”
         Queued, sent when online               │ \(at(-21))  you found Stone cat
         ~ Blue door, on its way             2m │ s say something
        """)
  }

  @Test func `a check-in that waits for the network is in sight in both panes`() async {
    expect(
      await screen(pending(.queued)),
      shows: """
          Active 4  Nearby 0  Done 1
        ▸◆ Lanterns of Alfama       2/4 ↟ 1h40  │ ◆ Lanterns of Alfama
           ▰▰▰▰▱▱▱▱  rui lu you +1         here │ ends \(at(100)) · 4 of 6 places
         ? Fog run at dawn          0/1 in 3h   │ friends see it · here · within 500 m
           ▱▱▱▱▱▱▱▱  you are invit… 9,116 km NW │ ● rui  ● you  ○ lu  ○ max
         ◆ 木を二十本 植える 🌳 …  9/20 ↟ 6d    │ ? tomas invited
           ▰▰▰▱▱▱▱▱  kenji lu you … 9,600 km SW │ Four lights before the last tram.
         ◆ Talk by the river            open    │ Meet at the stairs.
           you                             here │
                                                │ ✓ Red lantern               rui \(at(-40))
                                                │ ✓ Stone cat                 you \(at(-21))
                                                │ ↻ Blue door            queued 100 m E
                                                │   Waits for the network.
                                                │ · Well of voices              360 m N
                                                │
                                                │ Activity                       ● live
                                                │ \(at(-2))  rui: “left at the stairs, then
         Queued, sent when online               │        up until you hear the tram”
         ↻ Blue door, queued                 2m │ s say something
        """)
  }

  @Test func `a check-in that came too late asks what to do`() async {
    expect(
      await screen(pending(.late)),
      shows: """
          Active 4  Nearby 0  Done 1
        ▸◆ Lanterns of Alfama       2/4 ↟ 1h40  │ ◆ Lanterns of Alfama
           ▰▰▰▰▱▱▱▱  rui lu you +1         here │ ends \(at(100)) · 4 of 6 places
         ? Fog run at dawn          0/1 in 3h   │ friends see it · here · within 500 m
           ▱▱▱▱▱▱▱▱  you are invit… 9,116 km NW │ ● rui  ● you  ○ lu  ○ max
         ◆ 木を二十本 植える 🌳 …  9/20 ↟ 6d    │ ? tomas invited
           ▰▰▰▱▱▱▱▱  kenji lu you … 9,600 km SW │ Four lights before the last tram.
         ◆ Talk by the river            open    │ Meet at the stairs.
           you                             here │
                                                │ ✓ Red lantern               rui \(at(-40))
                                                │ ✓ Stone cat                 you \(at(-21))
                                                │ ! Blue door                   100 m E
                                                │   The mission ended before this could
                                                │   be sent.  r try again  x drop
                                                │ · Well of voices              360 m N
                                                │
                                                │ Activity                       ● live
         Check-ins not taken yet                │ \(at(-2))  rui: “left at the stairs, then
         ! Blue door, too late               2m │ s say something
        """)
  }

  @Test func `a refused check-in says why in its place`() async {
    expect(
      await screen(pending(.refused("You are 240 m away; Blue door takes 50 m."))),
      shows: """
          Active 4  Nearby 0  Done 1
        ▸◆ Lanterns of Alfama       2/4 ↟ 1h40  │ ◆ Lanterns of Alfama
           ▰▰▰▰▱▱▱▱  rui lu you +1         here │ ends \(at(100)) · 4 of 6 places
         ? Fog run at dawn          0/1 in 3h   │ friends see it · here · within 500 m
           ▱▱▱▱▱▱▱▱  you are invit… 9,116 km NW │ ● rui  ● you  ○ lu  ○ max
         ◆ 木を二十本 植える 🌳 …  9/20 ↟ 6d    │ ? tomas invited
           ▰▰▰▱▱▱▱▱  kenji lu you … 9,600 km SW │ Four lights before the last tram.
         ◆ Talk by the river            open    │ Meet at the stairs.
           you                             here │
                                                │ ✓ Red lantern               rui \(at(-40))
                                                │ ✓ Stone cat                 you \(at(-21))
                                                │ ! Blue door                   100 m E
                                                │   You are 240 m away; Blue door takes
                                                │   50 m.  r try again  x drop
                                                │ · Well of voices              360 m N
                                                │
                                                │ Activity                       ● live
         Check-ins not taken yet                │ \(at(-2))  rui: “left at the stairs, then
         ! Blue door, refused                2m │ s say something
        """)
  }

  @Test func `the line to say something takes keys, wide characters among them`() async {
    expect(
      await screen(openedID: id, look: talking(true)),
      shows: """
          Active 4  Nearby 0  Done 1
        ▸◆ Lanterns of Alfama       2/4 ↟ 1h40  │ ◆ Lanterns of Alfama
           ▰▰▰▰▱▱▱▱  rui lu you +1         here │ ends \(at(100)) · 4 of 6 places
         ? Fog run at dawn          0/1 in 3h   │ friends see it · here · within 500 m
           ▱▱▱▱▱▱▱▱  you are invit… 9,116 km NW │ ● rui  ● you  ○ lu  ○ max
         ◆ 木を二十本 植える 🌳 …  9/20 ↟ 6d    │ ? tomas invited
           ▰▰▰▱▱▱▱▱  kenji lu you … 9,600 km SW │ Four lights before the last tram.
         ◆ Talk by the river            open    │ Meet at the stairs.
           you                             here │
                                                │ ✓ Red lantern               rui \(at(-40))
                                                │ ✓ Stone cat                 you \(at(-21))
                                                │ ▸ Blue door                   100 m E
                                                │ · Well of voices              360 m N
                                                │
                                                │ Activity                       ● live
                                                │ \(at(-2))  rui: “left at the stairs, then
                                                │        up until you hear the tram”
                                                │ \(at(-21))  you found Stone cat
                                                │ > almost there 田中
        """)
  }

  @Test func `what was begun to be said stays at the foot`() async {
    expect(
      await screen(openedID: id, width: 60, height: 11, look: talking(false)),
      shows: """
          Active 4  Nearby 0  Done 1
         ◆ Lanterns of Alfama
         ends \(at(100)) · 4 of 6 places · friends see it · here
         within 500 m
         ● rui  ● you  ○ lu  ○ max  ? tomas invited
         Four lights before the last tram. Meet at the stairs.

         ✓ Red lantern                                    rui \(at(-40))
         ✓ Stone cat                                      you \(at(-21))
         ▸ Blue door                                        100 m E
         s almost there 田中
        """)
  }

  @Test func `without a mission the tab says how to begin, alone if need be`() async {
    expect(
      await screen(MissionSamples.scene(active: [])),
      shows: """
          Active 0  Nearby 0  Done 1
                                                │
          You are in no mission yet. One can    │
          be started alone, and friends join    │
          later.                                │
                                                │
          c new                                 │
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
      await screen(MissionSamples.scene(active: []) { $0.nearby = [MissionSamples.fogRun] }),
      shows: """
          Active 0  Nearby 1  Done 1
                                                │
          You are in no mission yet. One can    │
          be started alone, and friends join    │
          later.                                │
          Near you: Fog run at dawn, 9,116 km   │
          NW.                                   │
                                                │
          c new    Tab next list                │
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
      await screen(MissionSamples.scene(.nearby)),
      shows: """
          Active 4  Nearby 0  Done 1
                                                │
          Nothing is near, since Rally does     │
          not know where you are.               │
          Say it with :here Lisbon; nobody      │
          sees it unless you share it.          │
                                                │
          c new                                 │
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

  @Test func `nothing nearby offers to look further`() async {
    expect(
      await screen(MissionSamples.scene(.nearby) { $0.nearbyState = .within(5000) }),
      shows: """
          Active 4  Nearby 0  Done 1                               within 5 km  w wider
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
      await screen(MissionSamples.scene(.done)),
      shows: """
          Active 4  Nearby 0  Done 1
        ▸✓ Night market             1/1 done    │ ✓ Night market
           ▰▰▰▰▰▰▰▰  kenji you             here │ completed \(at(-120)) · 2 of 6 places
                                                │ friends see it · here · within 500 m
                                                │ ○ kenji  ● you
                                                │
                                                │ ✓ Find the noodles        kenji \(at(-120))
                                                │
                                                │ Activity                       ● live
                                                │ Fetching…
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │
                                                │ s say something
        """)
  }

  @Test func `a failed fetch keeps the rows and says how old they are`() async {
    expect(
      await screen(MissionSamples.scene { $0.loadState = failure }),
      shows: """
          Active 4  Nearby 0  Done 1                                        as of \(at(0))
        ▸◆ Lanterns of Alfama       2/4 ↟ 1h40  │ ◆ Lanterns of Alfama
           ▰▰▰▰▱▱▱▱  rui lu you +1         here │ ends \(at(100)) · 4 of 6 places
         ? Fog run at dawn          0/1 in 3h   │ friends see it · here · within 500 m
           ▱▱▱▱▱▱▱▱  you are invit… 9,116 km NW │ ● rui  ● you  ○ lu  ○ max
         ◆ 木を二十本 植える 🌳 …  9/20 ↟ 6d    │ ? tomas invited
           ▰▰▰▱▱▱▱▱  kenji lu you … 9,600 km SW │ Four lights before the last tram.
         ◆ Talk by the river            open    │ Meet at the stairs.
           you                             here │
                                                │ ✓ Red lantern               rui \(at(-40))
                                                │ ✓ Stone cat                 you \(at(-21))
                                                │ ▸ Blue door                   100 m E
                                                │ · Well of voices              360 m N
                                                │
                                                │ Activity                       ● live
                                                │ \(at(-2))  rui: “left at the stairs, then
                                                │        up until you hear the tram”
                                                │ \(at(-21))  you found Stone cat
                                                │ s say something
        """)
  }

  @Test func `a failed first fetch says why`() async {
    expect(
      await screen(
        MissionSamples.scene(active: []) {
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
        MissionSamples.scene(active: []) {
          $0.isOffline = true
          $0.asOf = nil
        }),
      shows: """
          Active  Nearby  Done
                                                │
          The server is not reached, and no     │
          mission is known from before.         │
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
          Active 4  Nearby 0  Done 1
        Lanterns of Alfama, 2 of 4 done, ends in  Lanterns of Alfama
        1h40, with rui lu you +1, here            ends \(at(100)) . 4 of 6 places
        Fog run at dawn, you are invited, 0 of 1  friends see it . here . within 500 m
        done, starts in 3h, with max zoe, 9,116   rui online,  you,  lu,  max,
        木を二十本 植える 🌳 together, 9 of 20    tomas invited,
        done, ends in 6d, with kenji lu you +9,   Four lights before the last tram.
        Talk by the river, no end, with you,      Meet at the stairs.
        here
                                                  done: Red lantern           rui \(at(-40))
                                                  done: Stone cat             you \(at(-21))
                                                  next: Blue door               100 m E
                                                  to do: Well of voices         360 m N

                                                  Activity                       * live
                                                  \(at(-2))  rui: "left at the stairs, then
                                                         up until you hear the tram"
                                                  \(at(-21))  you found Stone cat
                                                  s say something
        """)
  }

  @Test func `a reader of lists gets an open mission in words`() async {
    expect(
      await screen(openedID: id, isPlain: true),
      shows: """
          Active 4  Nearby 0  Done 1
        Lanterns of Alfama, 2 of 4 done, ends in  Lanterns of Alfama
        1h40, with rui lu you +1, here            ends \(at(100)) . 4 of 6 places
        Fog run at dawn, you are invited, 0 of 1  friends see it . here . within 500 m
        done, starts in 3h, with max zoe, 9,116   rui online,  you,  lu,  max,
        木を二十本 植える 🌳 together, 9 of 20    tomas invited,
        done, ends in 6d, with kenji lu you +9,   Four lights before the last tram.
        Talk by the river, no end, with you,      Meet at the stairs.
        here
                                                  done: Red lantern           rui \(at(-40))
                                                  done: Stone cat             you \(at(-21))
                                                  next: Blue door               100 m E
                                                  to do: Well of voices         360 m N

                                                  Activity                       * live
                                                  \(at(-2))  rui: "left at the stairs, then
                                                         up until you hear the tram"
                                                  \(at(-21))  you found Stone cat
                                                  s say something
        """)
  }

  @Test func `friends are chosen for an invitation, those in it said to be so`() async {
    let list = InviteList(
      mission: MissionSamples.lanterns, friends: (1...7).map { Samples.friend($0) },
      selection: .constant(Samples.id(5)), chosen: [Samples.id(5), Samples.id(6)])
    let screen = TestScreen(size: Size(width: 80, height: 13), table: .rally, root: list)
    await screen.settle()
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

  // MARK: Parts

  private func screen(
    _ scene: MissionsScene = MissionSamples.scene(), openedID: UUID? = nil, width: Int = 80,
    height: Int = 19, isPlain: Bool = false, look: MissionsLook = MissionsLook()
  ) async -> TestScreen {
    let screen = TestScreen(
      size: Size(width: width, height: height), table: .rally, isPlain: isPlain,
      root: MissionsPicture(scene: scene, openedID: openedID, look: look))
    await screen.settle()
    return screen
  }

  private func pending(_ standing: PendingCheckIn.Standing) -> MissionsScene {
    MissionSamples.scene { $0.pending = [MissionSamples.pending(standing)] }
  }

  private func talking(_ isTyping: Bool) -> MissionsLook {
    let look = MissionsLook()
    look.speech.text(in: id).wrappedValue = "almost there 田中"
    if isTyping { look.speech.begin(in: id) }
    return look
  }

  /// The clock on the screen so many minutes after noon.
  private func at(_ minutes: Int) -> String { MissionSamples.clock(minutes) }

  private func expect(
    _ screen: TestScreen, shows expected: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(screen.text == expected, sourceLocation: sourceLocation)
  }
}
