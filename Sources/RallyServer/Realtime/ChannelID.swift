/// Identifies one join of a topic by a socket; joining again makes a new id.
struct ChannelID: Hashable, Sendable {
  let socket: Int
  let topic: String
  let generation: Int

  /// As other servers name it.
  func remote(on node: String) -> RemoteChannel {
    RemoteChannel(node: node, number: Int64(generation))
  }
}
