/// What one realtime client may ask of the server. Official clients stay far below.
public struct RealtimeLimits: Hashable, Sendable {
  /// Open sockets of the whole server.
  public var sockets = 10_000
  /// Topics that one socket may have joined.
  public var channelsPerSocket = 100
  /// `postgres_changes` entries of one join.
  public var bindingsPerChannel = 100
  /// Joins that one socket may send.
  public var joinsPerSecond = 100.0
  /// Messages that one socket may send to its channels.
  public var messagesPerSecond = 100.0
  /// Frames of any kind, heartbeats and pings among them.
  public var framesPerSecond = 500.0
  /// `track` and `untrack` of one channel: as many at once, and this many again in 30 seconds.
  public var presenceCalls = 20
  /// Bytes of one broadcast's payload.
  public var broadcastBytes = 256_000
  /// Bytes of one tracked payload.
  public var presenceBytes = 4096
  /// How long a client that reads too slowly may take to read what is on its way, and then why it is
  /// cut off.
  public var slowFarewell = Duration.seconds(5)

  public init() {}
}
