/// The delays of stores; tests make them short.
public struct StoreTiming: Sendable {
  /// A people search waits this long for the next letter.
  public var searchPause: Duration = .milliseconds(150)
  /// From an event to the fetch that it causes.
  public var refreshPause: Duration = .milliseconds(40)
  /// The longest delay between two fetches while events keep coming.
  public var longestRefreshPause: Duration = .milliseconds(640)
  /// From a failure while changes arrive to the next fetch; twice as long after each failure.
  public var retryPause: Duration = .seconds(2)
  public var longestRetryPause: Duration = .seconds(15)
  /// An unchanged snapshot is saved again after this long, for its time alone.
  public var savePause: Duration = .seconds(60)

  public init() {}
}
