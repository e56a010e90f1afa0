import Foundation
import RallyWire

/// Who is present, and who may see it: a person sees themselves and accepted friends, nobody else.
///
/// A value without any input or output: each change returns what has to be sent to whom. Blocking
/// ends a friendship, so friendship alone decides.
struct PresenceBoard: Sendable {
  /// One tracked connection of a person.
  struct Meta: Hashable, Sendable {
    let channel: ChannelID
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
    var joins: [String: [Meta]] = [:]
    var leaves: [String: [Meta]] = [:]

    var payload: JSONValue {
      ["joins": PresenceBoard.json(joins), "leaves": PresenceBoard.json(leaves)]
    }
  }

  private struct Member: Sendable {
    let key: String
    let wantsEvents: Bool
  }

  private var members: [ChannelID: Member] = [:]
  private var channels: [String: Set<ChannelID>] = [:]
  private var metas: [String: [Meta]] = [:]
  /// Friends of everybody who has a channel here.
  private var friends: [String: Set<String>] = [:]
  private var lastReference: UInt64 = 0

  func isOnline(_ key: String) -> Bool { metas[key] != nil }

  var online: [String] { metas.keys.sorted() }

  // MARK: - Channels

  /// Adds a channel of the person `key`.
  mutating func join(
    _ channel: ChannelID, key: String, wantsEvents: Bool, friends ids: some Sequence<String>
  ) {
    members[channel] = Member(key: key, wantsEvents: wantsEvents)
    channels[key, default: []].insert(channel)
    friends[key] = Set(ids)
  }

  /// What a channel's owner sees now: the payload of `presence_state`.
  func state(for channel: ChannelID) -> JSONValue {
    guard let key = members[channel]?.key else { return [:] }
    let visible = metas.filter { $0.key == key || friends[key]?.contains($0.key) == true }
    return PresenceBoard.json(visible)
  }

  mutating func leave(_ channel: ChannelID) -> [Delivery] {
    let deliveries = untrack(channel).filter { $0.channel != channel }
    if let member = members.removeValue(forKey: channel) {
      channels[member.key]?.remove(channel)
      if channels[member.key]?.isEmpty == true {
        channels[member.key] = nil
        friends[member.key] = nil
      }
    }
    return deliveries
  }

  // MARK: - Tracking

  mutating func track(_ channel: ChannelID, payload: [String: JSONValue]) -> [Delivery] {
    guard let key = members[channel]?.key else { return [] }
    let old = metas[key]?.first { $0.channel == channel }
    lastReference += 1
    let new = Meta(
      channel: channel, reference: PresenceBoard.reference(lastReference),
      previous: old?.reference, payload: payload)
    metas[key, default: []].removeAll { $0.channel == channel }
    metas[key, default: []].append(new)
    return audience(of: key).map { receiver in
      Delivery(
        channel: receiver, joins: [key: [new]], leaves: old.map { [key: [$0]] } ?? [:])
    }
  }

  mutating func untrack(_ channel: ChannelID) -> [Delivery] {
    guard let key = members[channel]?.key,
      let old = metas[key]?.first(where: { $0.channel == channel })
    else { return [] }
    metas[key]?.removeAll { $0.channel == channel }
    if metas[key]?.isEmpty == true { metas[key] = nil }
    return audience(of: key).map { Delivery(channel: $0, leaves: [key: [old]]) }
  }

  // MARK: - Friendship

  /// Two people may see each other from now on, or no longer.
  mutating func set(_ a: String, _ b: String, areFriends: Bool) -> [Delivery] {
    set(a, sees: b, areFriends) + set(b, sees: a, areFriends)
  }

  private mutating func set(_ reader: String, sees other: String, _ sees: Bool) -> [Delivery] {
    guard let known = friends[reader], known.contains(other) != sees else { return [] }
    if sees { friends[reader]?.insert(other) } else { friends[reader]?.remove(other) }
    guard let present = metas[other] else { return [] }
    return listeners(of: reader).map { channel in
      sees
        ? Delivery(channel: channel, joins: [other: present])
        : Delivery(channel: channel, leaves: [other: present])
    }
  }

  // MARK: - Shared

  private func listeners(of key: String) -> [ChannelID] {
    (channels[key] ?? []).filter { members[$0]?.wantsEvents == true }
  }

  private func audience(of key: String) -> [ChannelID] {
    listeners(of: key) + (friends[key] ?? []).flatMap(listeners)
  }

  private static func json(_ metas: [String: [Meta]]) -> JSONValue {
    .object(metas.mapValues { ["metas": .array($0.map(\.json))] })
  }

  private static func reference(_ number: UInt64) -> String {
    Base64URL.encode(withUnsafeBytes(of: number.bigEndian, Array.init))
  }
}
