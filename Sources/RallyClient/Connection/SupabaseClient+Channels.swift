import FoundationEssentials
import RallyWire

extension SupabaseClient {
  /// Joins a channel as the signed-in user, until `leaveChannel`; another call takes over its
  /// events.
  ///
  /// - Parameter configuration: What to ask for, given the user's id.
  /// - Throws: `NetworkError.notConfigured` or `.signedOut`.
  package func joinChannel(
    _ topic: String, _ configuration: (UUID) -> ChannelConfiguration
  ) async throws -> AsyncStream<ChannelEvent> {
    let connection = try configured()
    guard let session = await connection.keeper.current() else { throw NetworkError.signedOut }
    return await connection.realtime.join(topic, configuration(session.user.id))
  }

  package func leaveChannel(_ topic: String) async { await realtime?.leave(topic) }
}
