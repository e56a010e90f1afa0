import Foundation
import RallyWire

/// A topic as a place where people meet: what may be done there, and by whom.
///
/// The rules, in one place: a mission's topic is for those who joined the mission, whatever the
/// client says about privacy; there are no other private topics; every other topic is open to
/// listen to changes on, and people who are signed in may talk on it. Wherever it is, whoever
/// blocked somebody neither hears them nor is heard.
struct RealtimeRoom: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case open
    /// Where friends see who is there, each by their own id.
    case presence
    /// For those who joined the mission with this id.
    case mission(String)
  }

  static let missionPrefix = "realtime:mission:"
  /// A frame that delivers a broadcast has one byte for the topic's length.
  static let longestTopic = 255

  let topic: String
  let kind: Kind

  /// - Throws: Why nobody can join such a topic. A mission that does not exist is refused in
  ///   the same words, later.
  init(topic: String, isPrivate: Bool) throws(RealtimeRefusal) {
    guard topic.hasPrefix(RealtimeTopic.prefix), topic != RealtimeTopic.prefix else {
      throw .topicRequired
    }
    guard topic.utf8.count <= RealtimeRoom.longestTopic else { throw .topicTooLong }
    self.topic = topic
    if topic.hasPrefix(RealtimeRoom.missionPrefix) {
      let id = String(topic.dropFirst(RealtimeRoom.missionPrefix.count))
      // One mission, one topic: other spellings of its id are none.
      guard UUID(uuidString: id)?.wireText == id else { throw .noPermission(topic) }
      kind = .mission(id)
    } else if isPrivate {
      throw .noPermission(topic)
    } else {
      kind = topic == RealtimeTopic.presence ? .presence : .open
    }
  }

  var missionID: String? { if case .mission(let id) = kind { id } else { nil } }

  /// The topic without `realtime:`, as system messages name it.
  static func name(_ topic: String) -> String {
    topic.hasPrefix(RealtimeTopic.prefix)
      ? String(topic.dropFirst(RealtimeTopic.prefix.count)) : topic
  }
}
