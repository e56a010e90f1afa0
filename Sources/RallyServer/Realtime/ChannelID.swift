/// Identifies one join of a topic by a socket; joining again makes a new id.
struct ChannelID: Hashable, Sendable {
  let socket: Int
  let topic: String
  let generation: Int
}
