/// How a test waits for something that must come: looking often at first, then less often.
///
/// The limit only decides when to give up on something that is broken, so it is generous: on a slow machine all
/// tests share one main actor.
public struct Patience {
  public static let limit = Duration.seconds(90)

  private let deadline: ContinuousClock.Instant
  private var next = Duration.milliseconds(1)

  public init(_ limit: Duration = Patience.limit) { deadline = .now + limit }

  /// Waits before the next look; false once there is no use in looking again.
  public mutating func pause() async -> Bool {
    guard ContinuousClock.now < deadline else { return false }
    next = min(next * 2, .milliseconds(32))
    return (try? await Task.sleep(for: next)) != nil
  }
}
