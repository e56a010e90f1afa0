import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallyTUI

/// The Missions tab as a person sees it, over values.
@Suite struct MissionPictureTests: MissionPictures {
  @Test func `list and detail beside each other on 80 by 24`() async {
    expect(
      await screen(),
      shows: """
          Active 4  Nearby 0  Done 1
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

  @Test func `on 120 by 40 both have more room`() async {
    expect(
      await screen(width: 120, height: 35),
      shows: """
          Active 4  Nearby 0  Done 1
        ▸◆ Lanterns of Alfama                         2/4 1h40 left │        ⠐   ⠠⠁↖Lisbon 2.3 km ⠐               ⠈⠠   ⠐
           ▰▰▰▰▰▰▱▱▱▱▱▱  rui lu you +1                         here │        ⠐  ⠄⠁            ⡀⠠ ⠂⠐⠒⠖⠤⢄⡀            ⠡  ⠐
         ? Fog run at dawn                            0/1     in 3h │        ⠐ ⠌            ⠐     ·Well of voices    ⠈⠄⠐
           ● you are invited                            9,116 km NW │        ⠐⠠⠁         ⢀ ⠁      ⠐       ⠙⢄          ⠨⠐
         ◆ 木を二十本 植える 🌳 together             9/20   6d left │        ⠐⠨          ⠄        ⠐         ⢧          ⠕
           ▰▰▰▰▰▱▱▱▱▱▱▱  kenji lu you +9                9,600 km SW │        ⠐⠅         ⠐         ⠐         ⠘⡆         ⠕
         ◆ Talk by the river                                 no end │ ⠄ ⠄ ⠄ ⠄⠐⠅ ⠄ ⠄ ⠄ ⠄ ⡁ ⠄ ⠄ ⠄ ⠄ ◆ ▸Blue door⠄ ⠄ ⠄ ⠄1 km ⠄ ⠄ ⠄
           you                                                 here │        ⠐⠅         ⠠         ⠐         ⢐⠇         ⠜
                                                                    │        ⠐⠡         ⠐         ⠐        ⢀⡜          ⠕
                                                                    │        ⠐⠨          ⠈⢀       ⠐       ⢀⠜          ⠨⠐
                                                                    │        ⠐ ⠅            ⠄     ⠐     ⣀⠴⠊          ⠠⠁⠐
                                                                    │        ⠐ ⠈⠄            ⠈ Barreiro 7.4 km↘     ⠠⠁ ⠐
                                                                    │ └ 500 m ─┘ ⠡                ⠐                ⠠⠁  ⠐
                                                                    │ ◆ Lanterns of Alfama
                                                                    │ ends \(at(100)) · 4 of 6 people · friends see it · here
                                                                    │ within 500 m
                                                                    │ ● rui  ● you  ○ lu  ○ max  ? tomas invited
                                                                    │ Four lights before the last tram. Meet at the stairs.
                                                                    │
                                                                    │ ✓ Red lantern                                   rui \(at(-40))
                                                                    │ ✓ Stone cat                                     you \(at(-21))
                                                                    │ ▸ Blue door                                       100 m E
                                                                    │ · Well of voices                                  360 m N
                                                                    │
                                                                    │
                                                                    │
                                                                    │ Activity                                           ● live
                                                                    │ \(at(-60))  mission started by rui
                                                                    │ \(at(-58))  you joined
                                                                    │ \(at(-40))  rui found Red lantern
                                                                    │ \(at(-21))  you found Stone cat
                                                                    │ \(at(-2))  rui: “left at the stairs, then up until you hear
                                                                    │        the tram”
                                                                    │ s say something
        """)
  }

  @Test func `from 160 columns on the radar is a pane between list and mission`() async throws {
    let wide = await screen(width: 160, height: 40).picture.dropFirst().map { line in
      line.split(separator: "│", omittingEmptySubsequences: false).map(String.init)
    }
    try #require(wide.allSatisfy { $0.count == 3 })
    #expect(wide[0][0].hasPrefix("▸◆ Lanterns of Alfama") && wide[0][0].cellWidth == 46)
    #expect(wide[0][2] == " ◆ Lanterns of Alfama")
    let radar = wide.map { $0[1] }
    #expect(radar.contains { $0.contains("▸Blue door") })
    #expect(radar.contains { $0.contains("500 m") })
    #expect(radar.allSatisfy { $0.cellWidth == 48 })
    #expect(await screen(width: 159, height: 40).picture[1].count { $0 == "│" } == 1)
  }

  @Test func `on 60 by 16 the list has the screen`() async {
    expect(
      await screen(width: 60, height: 11),
      shows: """
          Active 4  Nearby 0  Done 1
        ▸◆ Lanterns of Alfama                         2/4 1h40 left
           ▰▰▰▰▰▰▱▱▱▱▱▱  rui lu you +1                         here
         ? Fog run at dawn                            0/1     in 3h
           ● you are invited                            9,116 km NW
         ◆ 木を二十本 植える 🌳 together             9/20   6d left
           ▰▰▰▰▰▱▱▱▱▱▱▱  kenji lu you +9                9,600 km SW
         ◆ Talk by the river                                 no end
           you                                                 here
        """)
  }

  @Test func `on 60 by 16 a mission that was opened has the screen, at its title`() async {
    expect(
      await screen(openedID: id, width: 60, height: 11),
      shows: """
          Active 4  Nearby 0  Done 1
         ◆ Lanterns of Alfama
         ends \(at(100)) · 4 of 6 people · friends see it · here
         within 500 m
         ● rui  ● you  ○ lu  ○ max  ? tomas invited
         Four lights before the last tram. Meet at the stairs.

         ✓ Red lantern                                    rui \(at(-40))
         ✓ Stone cat                                      you \(at(-21))
         ▸ Blue door                                        100 m E
         s say something
        """)
  }

  @Test func `an open mission is in view from its title on, with what is next marked`() async {
    expect(
      await screen(openedID: id),
      shows: """
          Active 4  Nearby 0  Done 1
        ▸◆ Lanterns of Alfama     2/4 1h40 left │ ◆ Lanterns of Alfama
           ▰▰▰▰▱▱▱▱  rui lu you +1         here │ ends \(at(100)) · 4 of 6 people
         ? Fog run at dawn        0/1     in 3h │ friends see it · here · within 500 m
           ● you are invited        9,116 km NW │ ● rui  ● you  ○ lu  ○ max
         ◆ 木を二十本 植える …   9/20   6d left │ ? tomas invited
           ▰▰▰▱▱▱▱▱  kenji lu you … 9,600 km SW │ Four lights before the last tram.
         ◆ Talk by the river             no end │ Meet at the stairs.
           you                             here │
                                                │ ✓ Red lantern               rui \(at(-40))
                                                │ ✓ Stone cat                 you \(at(-21))
                                                │ ▸ Blue door                   100 m E
                                                │ · Well of voices              360 m N
                                                │
                                                │ Activity                       ● live
                                                │ \(at(-60))  mission started by rui
                                                │ \(at(-58))  you joined
                                                │ \(at(-40))  rui found Red lantern
                                                │ s say something
        """)
  }

  @Test func `a check-in shows at once as on its way`() async {
    expect(
      await screen(pending(.sending)),
      shows: """
          Active 4  Nearby 0  Done 1
        ▸◆ Lanterns of Alfama     2/4 1h40 left │ ends \(at(100)) · 4 of 6 people
           ▰▰▰▰▱▱▱▱  rui lu you +1         here │ friends see it · here · within 500 m
         ? Fog run at dawn        0/1     in 3h │ ● rui  ● you  ○ lu  ○ max
           ● you are invited        9,116 km NW │ ? tomas invited
         ◆ 木を二十本 植える …   9/20   6d left │ Four lights before the last tram.
           ▰▰▰▱▱▱▱▱  kenji lu you … 9,600 km SW │ Meet at the stairs.
         ◆ Talk by the river             no end │
           you                             here │ ✓ Red lantern               rui \(at(-40))
                                                │ ✓ Stone cat                 you \(at(-21))
                                                │ ~ Blue door        on its way 100 m E
                                                │ · Well of voices              360 m N
                                                │
                                                │ Activity                       ● live
                                                │ \(at(-40))  rui found Red lantern
                                                │ \(at(-21))  you found Stone cat
                                                │ \(at(-2))  rui: “left at the stairs, then
         Queued, sent when online               │        up until you hear the tram”
         ~ Blue door, on its way             2m │ s say something
        """)
  }

  @Test func `a check-in that waits for the network is in sight in both panes`() async {
    expect(
      await screen(pending(.queued)),
      shows: """
          Active 4  Nearby 0  Done 1
        ▸◆ Lanterns of Alfama     2/4 1h40 left │ friends see it · here · within 500 m
           ▰▰▰▰▱▱▱▱  rui lu you +1         here │ ● rui  ● you  ○ lu  ○ max
         ? Fog run at dawn        0/1     in 3h │ ? tomas invited
           ● you are invited        9,116 km NW │ Four lights before the last tram.
         ◆ 木を二十本 植える …   9/20   6d left │ Meet at the stairs.
           ▰▰▰▱▱▱▱▱  kenji lu you … 9,600 km SW │
         ◆ Talk by the river             no end │ ✓ Red lantern               rui \(at(-40))
           you                             here │ ✓ Stone cat                 you \(at(-21))
                                                │ ↻ Blue door            queued 100 m E
                                                │   Waits for the network.
                                                │ · Well of voices              360 m N
                                                │
                                                │ Activity                       ● live
                                                │ \(at(-40))  rui found Red lantern
                                                │ \(at(-21))  you found Stone cat
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
        ▸◆ Lanterns of Alfama     2/4 1h40 left │ ● rui  ● you  ○ lu  ○ max
           ▰▰▰▰▱▱▱▱  rui lu you +1         here │ ? tomas invited
         ? Fog run at dawn        0/1     in 3h │ Four lights before the last tram.
           ● you are invited        9,116 km NW │ Meet at the stairs.
         ◆ 木を二十本 植える …   9/20   6d left │
           ▰▰▰▱▱▱▱▱  kenji lu you … 9,600 km SW │ ✓ Red lantern               rui \(at(-40))
         ◆ Talk by the river             no end │ ✓ Stone cat                 you \(at(-21))
           you                             here │ ! Blue door                   100 m E
                                                │   The mission ended before this could
                                                │   be sent.  r try again  x drop
                                                │ · Well of voices              360 m N
                                                │
                                                │ Activity                       ● live
                                                │ \(at(-40))  rui found Red lantern
                                                │ \(at(-21))  you found Stone cat
                                                │ \(at(-2))  rui: “left at the stairs, then
         Check-ins that failed                  │        up until you hear the tram”
         ! Blue door, too late               2m │ s say something
        """)
  }

  @Test func `a refused check-in says why in its place`() async {
    expect(
      await screen(pending(.refused("You are 240 m away; Blue door takes 50 m."))),
      shows: """
          Active 4  Nearby 0  Done 1
        ▸◆ Lanterns of Alfama     2/4 1h40 left │ ● rui  ● you  ○ lu  ○ max
           ▰▰▰▰▱▱▱▱  rui lu you +1         here │ ? tomas invited
         ? Fog run at dawn        0/1     in 3h │ Four lights before the last tram.
           ● you are invited        9,116 km NW │ Meet at the stairs.
         ◆ 木を二十本 植える …   9/20   6d left │
           ▰▰▰▱▱▱▱▱  kenji lu you … 9,600 km SW │ ✓ Red lantern               rui \(at(-40))
         ◆ Talk by the river             no end │ ✓ Stone cat                 you \(at(-21))
           you                             here │ ! Blue door                   100 m E
                                                │   You are 240 m away; Blue door takes
                                                │   50 m.  r try again  x drop
                                                │ · Well of voices              360 m N
                                                │
                                                │ Activity                       ● live
                                                │ \(at(-40))  rui found Red lantern
                                                │ \(at(-21))  you found Stone cat
                                                │ \(at(-2))  rui: “left at the stairs, then
         Check-ins that failed                  │        up until you hear the tram”
         ! Blue door, refused                2m │ s say something
        """)
  }

  @Test func `the line to say something takes keys, wide characters among them`() async {
    expect(
      await screen(openedID: id, viewState: talking(true)),
      shows: """
          Active 4  Nearby 0  Done 1
        ▸◆ Lanterns of Alfama     2/4 1h40 left │ ● rui  ● you  ○ lu  ○ max
           ▰▰▰▰▱▱▱▱  rui lu you +1         here │ ? tomas invited
         ? Fog run at dawn        0/1     in 3h │ Four lights before the last tram.
           ● you are invited        9,116 km NW │ Meet at the stairs.
         ◆ 木を二十本 植える …   9/20   6d left │
           ▰▰▰▱▱▱▱▱  kenji lu you … 9,600 km SW │ ✓ Red lantern               rui \(at(-40))
         ◆ Talk by the river             no end │ ✓ Stone cat                 you \(at(-21))
           you                             here │ ▸ Blue door                   100 m E
                                                │ · Well of voices              360 m N
                                                │
                                                │ Activity                       ● live
                                                │ \(at(-60))  mission started by rui
                                                │ \(at(-58))  you joined
                                                │ \(at(-40))  rui found Red lantern
                                                │ \(at(-21))  you found Stone cat
                                                │ \(at(-2))  rui: “left at the stairs, then
                                                │        up until you hear the tram”
                                                │ > almost there 田中
        """)
  }

  @Test func `what was begun to be said stays at the foot`() async {
    expect(
      await screen(openedID: id, width: 60, height: 11, viewState: talking(false)),
      shows: """
          Active 4  Nearby 0  Done 1
         ◆ Lanterns of Alfama
         ends \(at(100)) · 4 of 6 people · friends see it · here
         within 500 m
         ● rui  ● you  ○ lu  ○ max  ? tomas invited
         Four lights before the last tram. Meet at the stairs.

         ✓ Red lantern                                    rui \(at(-40))
         ✓ Stone cat                                      you \(at(-21))
         ▸ Blue door                                        100 m E
         s almost there 田中
        """)
  }
}
