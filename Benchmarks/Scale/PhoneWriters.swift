import Foundation
import RallyWire
import Synchronization

/// Posts positions as OwnTracks does, at a fixed rate. A latency begins when the post was due, so
/// that it includes the time that a slow server makes its clients wait.
struct PhoneWriters {
  private static let threads = 8

  private final class Latencies: Sendable {
    let all = Mutex<[Duration]>([])
  }

  let secrets: [AccessSecret]
  let port: UInt16
  /// Posts a second of all phones together.
  let rate: Int

  /// - Returns: The latency of each post that was answered with 200, in order of size.
  func run(for seconds: Int) -> [Duration] {
    let latencies = Latencies()
    let step = Double(Self.threads) / Double(rate)
    let group = DispatchGroup()
    for thread in 0..<Self.threads {
      DispatchQueue(label: "bench.phone.\(thread)").async(group: group) {
        guard let connection = try? HTTPConnection(port: port, key: "") else { return }
        let start = SpokenTime.now + UInt64(1e9 * step * Double(thread) / Double(Self.threads))
        let end = start + UInt64(seconds) * 1_000_000_000
        var own: [Duration] = []
        var number = 0
        while true {
          let due = start + UInt64(1e9 * step * Double(number))
          let now = SpokenTime.now
          guard max(due, now) < end else { break }
          if now < due { usleep(UInt32((due - now) / 1000)) }
          let post = number * Self.threads + thread
          let secret = secrets[post % secrets.count].value
          connection.authorization =
            "Basic " + Data("phone:\(secret)".utf8).base64EncodedString()
          guard
            let answer = try? connection.post(
              PhoneApp.owntracks.path, body(number: post))
          else { break }
          if answer.status == 200 {
            own.append(.nanoseconds(Int64(SpokenTime.now - due)))
          }
          number += 1
        }
        latencies.all.withLock { $0 += own }
      }
    }
    group.wait()
    return latencies.all.withLock { $0.sorted() }
  }

  /// Every post of a phone is newer than the one before, and a little further.
  private func body(number: Int) -> Data {
    let time = Double(WireTime.now.microseconds) / 1_000_000
    return Data(
      """
      {"_type":"location","tid":"PH","lat":\(48 + Double(number % 10_000) / 100_000),"lon":16.4,\
      "acc":8,"batt":73,"vel":5,"tst":\(time)}
      """.utf8)
  }
}
