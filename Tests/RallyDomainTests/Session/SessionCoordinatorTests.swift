import Foundation
import RallyState
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@MainActor
@Suite struct SessionCoordinatorTests {
  private let studio = BroadcastStudio()
  private let events = AsyncStream.makeStream(of: SessionEvent.self)

  private func started(_ userID: UUID? = Samples.id(1)) -> SessionCoordinator {
    let coordinator = SessionCoordinator(
      profileService: ProfileService(client: SupabaseClient()), broadcastStudio: studio)
    coordinator.start(events.stream, userID: userID)
    return coordinator
  }

  @Test func `each event of the session becomes the message that it is`() async {
    let coordinator = started()
    var messages = studio.publisher.makeAsyncIterator()
    // A refreshed token changes nothing.
    events.continuation.yield(.refreshed)
    events.continuation.yield(.accountChanged(Samples.id(2)))
    let changed = await messages.next() as? AccountChanged
    #expect(changed?.userID == Samples.id(2))
    #expect(changed?.originatingFrom === coordinator)
    #expect(coordinator.userID == Samples.id(2))
    events.continuation.yield(.ended(.refused(.sessionNotFound)))
    #expect((await messages.next() as? SessionEnded)?.userID == Samples.id(2))
    events.continuation.yield(.ended(.signedOut))
    let left = await messages.next() as? AccountChanged
    #expect(left != nil && left?.userID == nil)
  }

  @Test func `nothing is told after the end`() async {
    let coordinator = started()
    var messages = studio.messages(of: AccountChanged.self).makeAsyncIterator()
    coordinator.stop()
    events.continuation.yield(.signedIn(Samples.id(3)))
    studio.broadcast(AccountChanged(originatingFrom: coordinator, userID: Samples.id(4)))
    #expect(await messages.next()?.userID == Samples.id(4))
    #expect(coordinator.userID == Samples.id(1))
  }
}
