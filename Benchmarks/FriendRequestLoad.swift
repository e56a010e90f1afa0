import Foundation
import RallyWire
import Synchronization

/// Background load: users who send and cancel friend requests at a steady rate.
final class FriendRequestLoad: Sendable {
  private let isOver = Mutex(false)
  private let done = Mutex(0)
  private let group = DispatchGroup()
  private let startedAt = ContinuousClock.now

  /// - Parameter rate: Calls per second in total; each one is an event for the measured user.
  init(_ server: BenchmarkServer, people: Int = 8, rate: Double = 200) {
    let pause = Duration.seconds(Double(people) / rate)
    let first = server.users.count - people
    for index in first..<server.users.count {
      group.enter()
      Thread.detachNewThread { [self] in
        defer { group.leave() }
        let person = server.users[index]
        let target = server.measured.id
        var due = ContinuousClock.now
        var isAsking = true
        while !isOver.withLock({ $0 }) {
          do {
            if isAsking {
              try server.call(RequestFriend(userID: target), as: person)
            } else {
              try server.call(CancelFriendRequest(userID: target), as: person)
            }
            done.withLock { $0 += 1 }
          } catch {
            progress("load: \(error)")
            return
          }
          isAsking.toggle()
          due += pause
          let left = due - .now
          if left > .zero { Thread.sleep(forTimeInterval: left.milliseconds / 1000) }
        }
        if !isAsking {
          _ = try? server.call(CancelFriendRequest(userID: target), as: person)
        }
      }
    }
  }

  /// Stops the load and returns the events per second.
  func end() -> Double {
    let rate =
      Double(done.withLock { $0 }) / ((ContinuousClock.now - startedAt).milliseconds / 1000)
    isOver.withLock { $0 = true }
    group.wait()
    return rate
  }
}
