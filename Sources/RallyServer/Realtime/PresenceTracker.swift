import Foundation
import RallyWire

/// The presence of one topic. Users see themselves and accepted friends only.
///
/// Each change returns the messages to send. Blocking ends a friendship, so checking friendship is
/// enough.
struct PresenceTracker: Sendable {
  struct Meta: Hashable, Sendable {
    let channel: ChannelID
    /// Its key in presence messages.
    let key: String
    let reference: String
    let previous: String?
    let payload: [String: JSONValue]

    var json: JSONValue {
      var values = payload
      values["phx_ref"] = .string(reference)
      if let previous { values["phx_ref_prev"] = .string(previous) }
      return .object(values)
    }
  }

  /// A `presence_diff` for one channel.
  struct Delivery: Hashable, Sendable {
    let channel: ChannelID
    var joins: [Meta] = []
    var leaves: [Meta] = []

    var payload: JSONValue {
      ["joins": PresenceTracker.json(joins), "leaves": PresenceTracker.json(leaves)]
    }
  }

  private struct Member: Sendable {
    let person: String
    let key: String
    var wantsEvents: Bool
  }

  private var members: [ChannelID: Member] = [:]
  private var channels: [String: Set<ChannelID>] = [:]
  private var metas: [String: [Meta]] = [:]
  /// Friends of each user with a channel.
  private var friends: [String: Set<String>] = [:]
  private var lastReference: UInt64 = 0

  func isOnline(_ person: String) -> Bool { metas[person] != nil }

  var isEmpty: Bool { members.isEmpty }

  func has(_ channel: ChannelID) -> Bool { members[channel] != nil }

  // MARK: - Channels

  /// Adds a channel.
  ///
  /// - Parameter key: Its presence key; nil for the user's id.
  mutating func join(
    _ channel: ChannelID, person: String, key: String? = nil, wantsEvents: Bool,
    friends ids: some Sequence<String>
  ) {
    members[channel] = Member(person: person, key: key ?? person, wantsEvents: wantsEvents)
    channels[person, default: []].insert(channel)
    friends[person] = Set(ids)
  }

  /// The current payload of `presence_state` for a channel.
  func state(for channel: ChannelID) -> JSONValue {
    guard let person = members[channel]?.person else { return [:] }
    let visible = metas.filter { $0.key == person || friends[person]?.contains($0.key) == true }
    return PresenceTracker.json(visible.sorted { $0.key < $1.key }.flatMap(\.value))
  }

  mutating func leave(_ channel: ChannelID) -> [Delivery] {
    let deliveries = untrack(channel).filter { $0.channel != channel }
    if let member = members.removeValue(forKey: channel) {
      channels[member.person]?.remove(channel)
      if channels[member.person]?.isEmpty == true {
        channels[member.person] = nil
        friends[member.person] = nil
      }
    }
    return deliveries
  }

  // MARK: - Tracking

  /// Repeating the same payload has no effect.
  mutating func track(_ channel: ChannelID, payload: [String: JSONValue]) -> [Delivery] {
    guard let member = members[channel] else { return [] }
    let old = metas[member.person]?.first { $0.channel == channel }
    guard old?.payload != payload else { return [] }
    lastReference += 1
    let new = Meta(
      channel: channel, key: member.key, reference: PresenceTracker.reference(lastReference),
      previous: old?.reference, payload: payload)
    metas[member.person, default: []].removeAll { $0.channel == channel }
    metas[member.person, default: []].append(new)
    return audience(of: member.person).map { receiver in
      Delivery(channel: receiver, joins: [new], leaves: old.map { [$0] } ?? [])
    }
  }

  mutating func untrack(_ channel: ChannelID) -> [Delivery] {
    guard let person = members[channel]?.person,
      let old = metas[person]?.first(where: { $0.channel == channel })
    else { return [] }
    metas[person]?.removeAll { $0.channel == channel }
    if metas[person]?.isEmpty == true { metas[person] = nil }
    return audience(of: person).map { Delivery(channel: $0, leaves: [old]) }
  }

  // MARK: - Friendship

  /// Updates the friendship of two users.
  mutating func set(_ a: String, _ b: String, areFriends: Bool) -> [Delivery] {
    set(a, sees: b, areFriends) + set(b, sees: a, areFriends)
  }

  private mutating func set(_ reader: String, sees other: String, _ sees: Bool) -> [Delivery] {
    guard let known = friends[reader], known.contains(other) != sees else { return [] }
    if sees { friends[reader]?.insert(other) } else { friends[reader]?.remove(other) }
    guard let present = metas[other] else { return [] }
    return listeners(of: reader).map { channel in
      sees
        ? Delivery(channel: channel, joins: present)
        : Delivery(channel: channel, leaves: present)
    }
  }

  // MARK: - Shared

  private func listeners(of person: String) -> [ChannelID] {
    (channels[person] ?? []).filter { members[$0]?.wantsEvents == true }
  }

  private func audience(of person: String) -> [ChannelID] {
    listeners(of: person) + (friends[person] ?? []).flatMap(listeners)
  }

  private static func json(_ metas: [Meta]) -> JSONValue {
    .object(Dictionary(grouping: metas, by: \.key).mapValues { ["metas": .array($0.map(\.json))] })
  }

  private static func reference(_ number: UInt64) -> String {
    Base64URL.encode(withUnsafeBytes(of: number.bigEndian, Array.init))
  }
}
