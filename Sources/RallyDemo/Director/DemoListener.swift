import FoundationEssentials
import RallyClient
import RallyDomain
import RallyWire

/// A realtime event that a cast member may react to.
enum DemoEvent: Hashable, Sendable {
  case friendships
  case missions
  case activity(missionID: UUID)
}

/// Holds a cast member's realtime subscriptions and reports their events.
struct DemoListener: Sendable {
  let player: DemoClient

  /// Listens until the task is cancelled. The member appears online meanwhile.
  func listen(_ tell: @escaping @Sendable (DemoEvent) async -> Void) async {
    await withTaskGroup(of: Void.self) { [player] group in
      group.addTask {
        guard let events = try? await player.friendsRealtimeService.listen() else { return }
        for await event in events {
          switch event {
          case .live, .changed(.relation), .changed(.locationAsk), .changed(.unknown):
            await tell(.friendships)
          case .interrupted, .changed(.presence): continue
          }
        }
      }
      group.addTask {
        guard let events = try? await player.missionActivityRealtimeService.listen() else {
          return
        }
        for await event in events {
          switch event {
          case .live, .changed(.mission), .changed(.removed), .changed(.unknown):
            await tell(.missions)
          case .changed(.activity(let line)):
            await tell(.activity(missionID: line.missionID))
          case .interrupted: continue
          }
        }
      }
    }
  }
}
