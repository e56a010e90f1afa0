import Foundation
import RallyWire
import Synchronization

/// Sends mission messages at a fixed rate. Each message carries the time at which it was due, so
/// that the measured latency includes the time that a slow server makes its clients wait.
struct ChangeWriters {
  private static let threads = 8

  /// A counter shared by all threads.
  private final class Tally: Sendable {
    let count = Atomic(0)
  }

  private let missions: [(id: UUID, token: String)]
  private let ports: [UInt16]
  private let key: String
  private let rate: Int

  /// - Parameters:
  ///   - missions: Each with the token of a member.
  ///   - ports: Of the servers that take the messages in turns.
  ///   - rate: Messages a second.
  init(missions: [(id: UUID, token: String)], ports: [UInt16], key: String, rate: Int) throws {
    guard !missions.isEmpty else { throw BenchFailure("there is no mission to send messages to") }
    self.missions = missions
    self.ports = ports
    self.key = key
    self.rate = rate
  }

  /// Sends messages for this many seconds, then waits one second for the last ones to arrive.
  ///
  /// - Returns: The number of messages that the server acknowledged.
  func run(for seconds: Int) -> Int {
    let made = Tally()
    let step = Double(Self.threads) / Double(rate)
    let group = DispatchGroup()
    for thread in 0..<Self.threads {
      let queue = DispatchQueue(label: "bench.writer.\(thread)")
      queue.async(group: group) {
        guard let connection = try? HTTPConnection(port: ports[thread % ports.count], key: key)
        else { return }
        let start = SpokenTime.now + UInt64(1e9 * step * Double(thread) / Double(Self.threads))
        let end = start + UInt64(seconds) * 1_000_000_000
        var number = 0
        while true {
          let due = start + UInt64(1e9 * step * Double(number))
          let now = SpokenTime.now
          guard max(due, now) < end else { return }
          if now < due { usleep(UInt32((due - now) / 1000)) }
          let mission = missions[(number * Self.threads + thread) % missions.count]
          connection.token = mission.token
          let call = SayInMission(missionID: mission.id, text: "t\(due)")
          guard let body = try? WireJSON.encode(call),
            let answer = try? connection.post("/rest/v1/rpc/\(SayInMission.name)", body)
          else { return }
          if answer.status == 200 { made.count.add(1, ordering: .relaxed) }
          number += 1
        }
      }
    }
    group.wait()
    usleep(1_000_000)
    return made.count.load(ordering: .relaxed)
  }
}

/// The monotonic clock in nanoseconds, which all processes of this machine share.
enum SpokenTime {
  static var now: UInt64 {
    DispatchTime.now().uptimeNanoseconds
  }
}
