import FoundationEssentials
import RallyWire

/// When friends' questions and mine end, by a clock that nobody sets.
///
/// The server says when each was asked. On a machine whose clock is ahead a question would be over
/// before it was read, and after the clock was put back it would wait for hours.
struct AskEnds {
  private struct Question: Hashable {
    var friend: UUID
    var direction: RequestDirection
    var askedAt: WireTime
  }

  /// By `WireTime.steady`; those that are over too, as long as the lists have them.
  private var ends: [Question: WireTime] = [:]

  /// Removes the questions that are over.
  ///
  /// - Parameters:
  ///   - now: The wall clock, which dates a question that was not seen before.
  ///   - steady: The clock that nobody sets.
  /// - Returns: When the next one ends by that clock; nil without any.
  mutating func drop(
    from asks: inout LocationAsks, at now: WireTime, steady: WireTime
  ) -> WireTime? {
    let known = ends
    ends = [:]
    func isOpen(_ direction: RequestDirection, _ friend: UUID, _ askedAt: WireTime) -> Bool {
      let question = Question(friend: friend, direction: direction, askedAt: askedAt)
      let end =
        known[question]
        ?? steady.advanced(by: LocationAskRecord.lifetime - LocationAsks.age(of: askedAt, at: now))
      ends[question] = end
      return steady < end
    }
    asks.incoming = asks.incoming.filter { isOpen(.incoming, $0.key, $0.value) }
    asks.outgoing = asks.outgoing.filter { isOpen(.outgoing, $0.key, $0.value) }
    return ends.values.filter { steady < $0 }.min()
  }
}

extension LocationAsks {
  /// How long ago the server was asked. It sends no question that is over, so another age is that of
  /// a wrong clock, and says nothing.
  fileprivate static func age(of askedAt: WireTime, at now: WireTime) -> Duration {
    let age = now.since(askedAt)
    return (.zero..<LocationAskRecord.lifetime).contains(age) ? age : .zero
  }
}
