import Foundation
import RallyRules
import RallyStorage
import RallyText
import RallyWire

/// The presence of one topic. Users see themselves and accepted friends only.
///
/// Each change returns the messages to send. Blocking ends a friendship, so checking friendship is
/// enough.
struct PresenceTracker: Sendable {
  /// Where a channel is.
  enum Source: Hashable, Sendable {
    case here(ChannelID)
    case elsewhere(RemoteChannel)
  }

  struct Meta: Hashable, Sendable {
    let source: Source
    /// Its key in presence messages.
    let key: String
    let reference: String
    let previous: String?
    let payload: [String: JSONValue]

    var isHere: Bool { if case .here = source { true } else { false } }

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
  /// Begins anywhere, so that no other server and no later tracker gives the same reference.
  private var lastReference = UInt64.random(in: 0...(.max / 2))

  /// Whether somebody tracks through a channel here.
  func isOnline(_ person: String) -> Bool { metas[person]?.contains(where: \.isHere) == true }

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
        let friends = friends.removeValue(forKey: member.person) ?? []
        forgetUnseen(friends.union([member.person]))
      }
    }
    return deliveries
  }

  // MARK: - Tracking

  /// Repeating the same payload has no effect.
  mutating func track(_ channel: ChannelID, payload: [String: JSONValue]) -> [Delivery] {
    guard let member = members[channel] else { return [] }
    let old = meta(.here(channel), of: member.person)
    guard old?.payload != payload else { return [] }
    lastReference += 1
    return replace(
      old,
      with: Meta(
        source: .here(channel), key: member.key,
        reference: PresenceTracker.reference(lastReference), previous: old?.reference,
        payload: payload), of: member.person)
  }

  mutating func untrack(_ channel: ChannelID) -> [Delivery] {
    guard let person = members[channel]?.person, let old = meta(.here(channel), of: person)
    else { return [] }
    return replace(old, with: nil, of: person)
  }

  private func meta(_ source: Source, of person: String) -> Meta? {
    metas[person]?.first { $0.source == source }
  }

  private mutating func replace(_ old: Meta?, with new: Meta?, of person: String) -> [Delivery] {
    let rest = metas[person]?.filter { $0.source != old?.source } ?? []
    let all = rest + (new.map { [$0] } ?? [])
    metas[person] = all.isEmpty ? nil : all
    return audience(of: person).map { receiver in
      Delivery(channel: receiver, joins: new.map { [$0] } ?? [], leaves: old.map { [$0] } ?? [])
    }
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
    if !sees { forgetUnseen([other]) }
    return listeners(of: reader).map { channel in
      sees
        ? Delivery(channel: channel, joins: present)
        : Delivery(channel: channel, leaves: present)
    }
  }

  // MARK: - Other servers

  /// Takes what a channel on another server tracks now. Only what somebody here sees is kept.
  mutating func take(_ change: PresenceChange) -> [Delivery] {
    let source = Source.elsewhere(change.channel)
    let old = meta(source, of: change.person)
    guard let entry = change.entry else {
      return old == nil ? [] : replace(old, with: nil, of: change.person)
    }
    guard old?.reference != entry.reference, !audience(of: change.person).isEmpty else { return [] }
    return replace(
      old,
      with: Meta(
        source: source, key: entry.key, reference: entry.reference, previous: entry.previous,
        payload: entry.payload), of: change.person)
  }

  /// The channels of other servers that are known here, with their people.
  var elsewhere: [(channel: RemoteChannel, person: String)] {
    metas.flatMap { person, metas in
      metas.compactMap { meta in
        if case .elsewhere(let channel) = meta.source { (channel, person) } else { nil }
      }
    }
  }

  /// What a channel tracks, for the other servers; nil if nothing.
  func shared(_ id: ChannelID, of node: String) -> SharedPresence? {
    guard let person = members[id]?.person, let meta = meta(.here(id), of: person) else {
      return nil
    }
    return SharedPresence(
      channel: id.remote(on: node), topic: id.topic, person: person, key: meta.key,
      reference: meta.reference, previous: meta.previous, payload: meta.payload)
  }

  /// Everything that channels here track.
  func shared(of node: String) -> [SharedPresence] {
    members.keys.compactMap { shared($0, of: node) }
  }

  private mutating func forgetUnseen(_ people: Set<String>) {
    for person in people where metas[person] != nil && audience(of: person).isEmpty {
      let here = metas[person]?.filter(\.isHere)
      metas[person] = here?.isEmpty == true ? nil : here
    }
  }

  // MARK: - Shared

  private func listeners(of person: String) -> [ChannelID] {
    (channels[person] ?? []).filter { members[$0]?.wantsEvents == true }
  }

  private func audience(of person: String) -> [ChannelID] {
    listeners(of: person) + readers(of: person).flatMap(listeners)
  }

  /// Friends with a channel here. Friendship is mutual, so whoever has a channel names them.
  private func readers(of person: String) -> [String] {
    friends[person].map(Array.init)
      ?? friends.lazy.filter { $0.value.contains(person) }.map(\.key)
  }

  private static func json(_ metas: [Meta]) -> JSONValue {
    .object(Dictionary(grouping: metas, by: \.key).mapValues { ["metas": .array($0.map(\.json))] })
  }

  private static func reference(_ number: UInt64) -> String {
    Base64URL.encode(withUnsafeBytes(of: number.bigEndian, Array.init))
  }
}
