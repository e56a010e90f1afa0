import Foundation
import RallyDomain

/// What one of the cast hears of the visitor's doings.
enum DemoNews: Hashable, Sendable {
  case friendships
  case missions
  case activity(missionID: UUID)
}

/// Keeps one of the cast online and tells what they hear.
struct DemoListener: Sendable {
  let player: DemoPlayer

  /// Listens until the task is cancelled; others see the player online meanwhile.
  func listen(_ tell: @escaping @Sendable (DemoNews) async -> Void) async {
    await withTaskGroup(of: Void.self) { [player] group in
      group.addTask {
        guard let events = try? await player.friendsRealtimeService.listen() else { return }
        for await event in events {
          if event == .live || event == .friendshipsChanged { await tell(.friendships) }
        }
      }
      group.addTask {
        guard let events = try? await player.missionActivityRealtimeService.listen() else {
          return
        }
        for await event in events {
          switch event {
          case .live, .changed: await tell(.missions)
          case .activity(let missionID, _): await tell(.activity(missionID: missionID))
          case .interrupted: continue
          }
        }
      }
    }
  }
}
