import RallyEnvironment
import RallyState
import RallyTestSupport
import Testing

@testable import RallyDomain
@testable import RallyTUI
@testable import TerminalKit

/// What surrounds the tabs is drawn anew only when it says something else.
@Suite struct FrameSummaryTests {
  private final class Bodies {
    var header = 0
    var direct = 0
  }

  /// Reads as the header does, and counts how often it is asked.
  private struct Counted: View {
    let summary: FrameSummary
    let bodies: Bodies

    var body: some View {
      bodies.header += 1
      return Text("\(summary.people.value) \(summary.badges.value[.friends] ?? 0)")
    }
  }

  /// Reads the store itself, as a body without boxes does.
  private struct Direct: View {
    let store: SocialStore
    let bodies: Bodies

    var body: some View {
      bodies.direct += 1
      return Text("\(store.asOf == nil ? "no list" : "\(store.friends.count)")")
    }
  }

  @Test func `a list that is fetched again and is the same runs no body of the frame`()
    async throws
  {
    try await TestServer.with { server in
      // given
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      let store = ana.makeSocialStore()
      let policy = RuntimePolicyCoordinator()
      let summary = FrameSummary(
        social: store, missions: .inert(),
        locationSharing: EnvironmentValues().locationSharingStore,
        link: LinkService(client: ana.client), policy: policy)
      let bodies = Bodies()
      let screen = TestScreen(
        root: VStack {
          Counted(summary: summary, bodies: bodies)
          Direct(store: store, bodies: bodies)
        })
      try await ben.friendsService.requestFriend(userID: ana.userID)
      await store.refreshAll(mode: .initial)
      await screen.waitFor("1 request")
      await screen.waitUntilIdle()
      // when
      let (header, direct) = (bodies.header, bodies.direct)
      for _ in 0..<3 {
        await store.refreshAll(mode: .refresh)
        await screen.waitUntilIdle()
      }
      // then
      #expect(bodies.header == header)
      #expect(bodies.direct > direct)
      await store.respondToFriendRequest(ben.userID, action: .accept)
      await screen.waitFor("1 friend 0")
      #expect(bodies.header > header)
    }
  }
}
