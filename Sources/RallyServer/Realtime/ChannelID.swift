/// One joining of one topic by one socket; joining again makes another one.
struct ChannelID: Hashable, Sendable {
  let socket: Int
  let topic: String
  let generation: Int
}
