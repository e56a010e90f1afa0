import Foundation
import RallyRules
import RallyStorage
import RallyWire

/// A realtime topic and its access rules.
///
/// A mission's topic is for its members, whether or not the client calls it private. There are no
/// other private topics. Everybody may listen to changes on all other topics, and signed-in users
/// may broadcast there. Users who block each other do not receive each other's broadcasts.
struct TopicAccess: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case open
    /// The presence of friends, by user id.
    case presence
    /// For those who joined the mission with this id.
    case mission(String)
  }

  static let missionPrefix = "realtime:mission:"
  /// Bytes: a binary frame has one byte for the topic's length.
  static let longestTopic = 255

  let topic: String
  let kind: Kind

  /// - Throws: `RealtimeRefusal` if nobody can join such a topic; unknown missions are refused
  ///   later, with the same text.
  init(topic: String, isPrivate: Bool) throws(RealtimeRefusal) {
    guard topic.hasPrefix(RealtimeTopic.prefix), topic != RealtimeTopic.prefix else {
      throw .topicRequired
    }
    guard topic.utf8.count <= TopicAccess.longestTopic else { throw .topicTooLong }
    self.topic = topic
    if topic.hasPrefix(TopicAccess.missionPrefix) {
      let id = String(topic.dropFirst(TopicAccess.missionPrefix.count))
      // Only the canonical form of the id names the topic.
      guard UUID(wireText: id)?.wireText == id else { throw .noPermission(topic) }
      kind = .mission(id)
    } else if isPrivate {
      throw .noPermission(topic)
    } else {
      kind = topic == RealtimeTopic.presence ? .presence : .open
    }
  }

  var missionID: String? { if case .mission(let id) = kind { id } else { nil } }

  /// Whether a person may join: a mission's topic is for its members.
  ///
  /// - Parameter person: nil for somebody who is not signed in.
  func admits(_ person: String?, in database: Database) throws -> Bool {
    guard let missionID else { return true }
    guard let person else { return false }
    return try MissionMemberRecords.hasJoined(person, missionID, in: database)
  }

  /// The topic without `realtime:`, as system messages name it.
  static func name(_ topic: String) -> String {
    topic.hasPrefix(RealtimeTopic.prefix)
      ? String(topic.dropFirst(RealtimeTopic.prefix.count)) : topic
  }
}
