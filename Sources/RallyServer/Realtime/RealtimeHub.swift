import Foundation
import Logging
import NIOWebSocket
import RallyWire

/// All sockets, their channels and who is present: the one place where realtime state changes.
///
/// Whatever needs the database (is this session alive, who are this person's friends) is written
/// down as work; the feed reader answers it from the same snapshot as the changes, so that the
/// state here always is the database's at one point of the feed.
actor RealtimeHub {
  static let channelLimit = 100
  static let presencePayloadLimit = 4096

  private struct Connection {
    let outbox: SocketOutbox
    var channels: [String: RealtimeChannel] = [:]
  }

  private let signer: TokenSigner
  private let apiKey: String
  private let directory: OnlineDirectory
  /// Wakes the feed reader.
  private let wake: @Sendable () -> Void

  private var connections: [Int: Connection] = [:]
  /// What ends each channel when its token does.
  private var expiries: [ChannelID: DispatchWorkItem] = [:]
  private var presence = PresenceBoard()
  private var work = FeedWork()
  private var lastSocket = 0
  private var lastGeneration = 0
  private var lastBinding: Int64 = 0
  private var isClosing = false

  init(
    signer: TokenSigner, apiKey: String, directory: OnlineDirectory,
    wake: @escaping @Sendable () -> Void
  ) {
    self.signer = signer
    self.apiKey = apiKey
    self.directory = directory
    self.wake = wake
  }

  // MARK: - Sockets

  func connect(_ outbox: SocketOutbox) -> Int {
    lastSocket += 1
    connections[lastSocket] = Connection(outbox: outbox)
    if isClosing { outbox.close(.goingAway, reason: "server ends") }
    return lastSocket
  }

  func disconnect(_ socket: Int) {
    guard let connection = connections.removeValue(forKey: socket) else { return }
    for channel in connection.channels.values { retire(channel) }
  }

  /// How much is open at this moment.
  var counts: (sockets: Int, channels: Int, people: Int) {
    (
      connections.count, connections.values.reduce(0) { $0 + $1.channels.count },
      presence.online.count
    )
  }

  /// Says goodbye to everybody.
  func closeAll() {
    isClosing = true
    for connection in connections.values {
      connection.outbox.close(.goingAway, reason: "server ends")
    }
  }

  // MARK: - Messages

  func receive(_ message: RealtimeMessage, from socket: Int) {
    guard let connection = connections[socket] else { return }
    switch message.event {
    case .heartbeat where message.topic == RealtimeTopic.phoenix:
      reply(to: message, socket: socket)
    case .join: join(message, socket: socket)
    default:
      guard let channel = connection.channels[message.topic] else {
        return reply(to: message, socket: socket, refusal: .unmatchedTopic)
      }
      // A message from before the channel was joined again.
      if let joinRef = message.joinRef, joinRef != channel.joinRef { return }
      receive(message, on: channel)
    }
  }

  private func receive(_ message: RealtimeMessage, on channel: RealtimeChannel) {
    let socket = channel.id.socket
    switch message.event {
    case .leave:
      reply(to: message, socket: socket)
      close(channel)
    case .accessToken: refreshToken(message.payload["access_token"]?.string, on: channel)
    case .presence: receivePresence(message, on: channel)
    case .broadcast:
      reply(
        to: message, socket: socket,
        refusal: RealtimeRefusal(reason: "Unauthorized: Broadcast is not offered"))
    default:
      reply(
        to: message, socket: socket,
        refusal: RealtimeRefusal(reason: "UnknownErrorOnChannel: Unknown event"))
    }
  }

  // MARK: - Joining

  private func join(_ message: RealtimeMessage, socket: Int) {
    let request = JoinRequest(message.payload)
    do throws(RealtimeRefusal) {
      guard message.topic.hasPrefix(RealtimeTopic.prefix),
        message.topic.count > RealtimeTopic.prefix.count
      else { throw .topicRequired }
      if let old = connections[socket]?.channels[message.topic] { close(old) }
      guard connections[socket]?.channels.count ?? 0 < RealtimeHub.channelLimit else {
        throw .tooManyChannels
      }
      guard !request.isPrivate else { throw .privateChannel }
      let claims = try claims(of: request.token)
      lastGeneration += 1
      let id = ChannelID(socket: socket, topic: message.topic, generation: lastGeneration)
      let channel = RealtimeChannel(
        id: id, joinRef: message.joinRef ?? message.ref,
        bindings: request.bindings.map { json in
          lastBinding += 1
          return RealtimeBinding(json: json, id: lastBinding)
        },
        wantsPresence: request.wantsPresence,
        presenceKey: Caller(claims)?.userID ?? UUID().wireText, claims: claims,
        token: request.token)
      connections[socket]?.channels[message.topic] = channel
      work.joins.append(
        .init(
          channel: id, ref: message.ref, claims: claims, token: request.token, isRenewal: false))
      wake()
    } catch {
      reply(to: message, socket: socket, refusal: error)
    }
  }

  /// Claims of a user's token; without one, or with an opaque key, those of the API key.
  private func claims(of token: String?) throws(RealtimeRefusal) -> AccessClaims {
    let text = token.flatMap { $0.isEmpty || $0.hasPrefix("sb_") ? nil : $0 } ?? apiKey
    do {
      return try signer.verify(text)
    } catch {
      throw RealtimeRefusal(error)
    }
  }

  private func complete(_ join: FeedWork.Join, with answer: FeedAnswer) {
    guard var channel = channel(join.channel) else { return }
    let socket = join.channel.socket
    if let caller = join.caller, !answer.livingSessions.contains(caller.sessionID) {
      if join.isRenewal { return end(channel, RealtimeRefusal.signedOut.reason) }
      connections[socket]?.channels[channel.id.topic] = nil
      return send(
        RealtimeRefusal.signedOut.reply(ref: join.ref), on: channel)
    }
    channel.claims = join.claims
    channel.token = join.token
    scheduleExpiry(of: channel)
    channel.isLive = true
    connections[socket]?.channels[channel.id.topic] = channel
    if !join.isRenewal {
      send(
        RealtimeMessage(
          topic: channel.id.topic, event: .reply,
          payload: [
            "status": "ok",
            "response": ["postgres_changes": .array(channel.bindings.map(\.echo))],
          ], ref: join.ref),
        on: channel)
      if channel.id.topic == RealtimeTopic.presence {
        presence.join(
          channel.id, key: channel.presenceKey, wantsEvents: channel.wantsPresence,
          friends: answer.friends[channel.presenceKey] ?? [])
        if channel.wantsPresence {
          push(.presenceState, presence.state(for: channel.id), on: channel)
        }
      }
    }
    announceBindings(of: channel)
  }

  private func announceBindings(of channel: RealtimeChannel) {
    guard !channel.bindings.isEmpty else { return }
    let problem = channel.bindings.lazy.compactMap(\.problem).first
    pushSystem(
      problem ?? RealtimeTopic.subscribedMessage, isError: problem != nil,
      about: RealtimeEvent.postgresChanges.rawValue, on: channel)
  }

  // MARK: - Tokens

  private func refreshToken(_ token: String?, on channel: RealtimeChannel) {
    guard let token, token != channel.token, !token.hasPrefix("sb_"), !token.isEmpty else {
      return
    }
    do throws(RealtimeRefusal) {
      let claims = try claims(of: token)
      guard claims.subject == channel.claims.subject || channel.claims.subject == nil else {
        throw RealtimeRefusal(reason: "Unauthorized: The token belongs to somebody else")
      }
      guard channel.claims.subject != nil || channel.id.topic != RealtimeTopic.presence else {
        throw RealtimeRefusal(reason: "Unauthorized: Join again to be present by name")
      }
      work.joins.append(
        .init(channel: channel.id, ref: nil, claims: claims, token: token, isRenewal: true))
      wake()
    } catch {
      end(channel, error.reason)
    }
  }

  private func scheduleExpiry(of channel: RealtimeChannel) {
    expiries[channel.id]?.cancel()
    let id = channel.id
    let expiry = DispatchWorkItem { [weak self] in Task { await self?.expire(id) } }
    expiries[id] = expiry
    let deadline = timespec(tv_sec: Int(channel.claims.expiresAt), tv_nsec: 0)
    DispatchQueue.timers.asyncAfter(
      wallDeadline: DispatchWallTime(timespec: deadline), execute: expiry)
  }

  private func expire(_ id: ChannelID) {
    guard let channel = channel(id) else { return }
    let seconds = max(0, WireTime.now.microseconds / 1_000_000 - channel.claims.expiresAt)
    end(channel, "Token has expired \(seconds) seconds ago")
  }

  // MARK: - Presence

  private func receivePresence(_ message: RealtimeMessage, on channel: RealtimeChannel) {
    let socket = channel.id.socket
    guard channel.id.topic == RealtimeTopic.presence, channel.isLive else {
      return reply(
        to: message, socket: socket,
        refusal: RealtimeRefusal(
          reason: "Unauthorized: Presence is offered on \(RealtimeTopic.presence)"))
    }
    switch message.payload["event"]?.string?.lowercased() {
    case "track":
      let payload = message.payload["payload"]?.object ?? [:]
      guard let size = try? WireJSON.encode(payload).count,
        size <= RealtimeHub.presencePayloadLimit
      else {
        return reply(
          to: message, socket: socket, refusal: RealtimeRefusal(reason: "PayloadTooLarge"))
      }
      reply(to: message, socket: socket)
      deliver(presence.track(channel.id, payload: payload))
    case "untrack":
      reply(to: message, socket: socket)
      deliver(presence.untrack(channel.id))
    default:
      return reply(
        to: message, socket: socket,
        refusal: RealtimeRefusal(reason: "UnknownPresenceEvent: Use track or untrack"))
    }
    noteOnline(channel)
  }

  private func deliver(_ deliveries: [PresenceBoard.Delivery]) {
    for delivery in deliveries {
      guard let channel = channel(delivery.channel) else { continue }
      push(.presenceDiff, delivery.payload, on: channel)
    }
  }

  /// Keeps the directory in step, and has the end of a person's last tracked socket written down.
  private func noteOnline(_ channel: RealtimeChannel) {
    guard let user = channel.caller?.userID else { return }
    let isOnline = presence.isOnline(user)
    let wasOnline = directory.isOnline(user)
    guard isOnline != wasOnline else { return }
    directory.set(user, isOnline: isOnline)
    if isOnline {
      work.lastSeen[user] = nil
    } else {
      work.lastSeen[user] = .now
      wake()
    }
  }

  // MARK: - The feed

  /// Hands over what has to be looked up or stored.
  ///
  /// Channels come to life only in `apply`, so whoever does not listen now hears nothing of the
  /// snapshot that answers this.
  func takeWork() -> FeedWork {
    defer { work = FeedWork() }
    var taken = work
    for connection in connections.values {
      for channel in connection.channels.values
      where channel.isLive && !channel.bindings.isEmpty {
        if let user = channel.caller?.userID { taken.listeners.insert(user) }
      }
    }
    return taken
  }

  /// Delivers changes in order, then completes the joins that waited for this snapshot.
  func apply(_ answer: FeedAnswer, to joins: [FeedWork.Join]) {
    for item in answer.items { apply(item) }
    for join in joins { complete(join, with: answer) }
  }

  private func apply(_ item: FeedAnswer.Item) {
    switch item {
    case .friendship(let event, let people, let areFriends):
      deliver([event], to: Dictionary(people.map { ($0, 0) }) { first, _ in first })
      if people.count == 2 {
        deliver(presence.set(people[0], people[1], areFriends: areFriends))
      }
    case .rows(let events, let readers): deliver(events, to: readers)
    case .sessionEnded(let session): endSession(session)
    }
  }

  /// Sends each person the event whose number they have; what nobody gets is not encoded.
  private func deliver(_ events: [ChangeEvent], to people: [String: Int]) {
    var encoded: [Int: JSONValue] = [:]
    for connection in connections.values {
      for channel in connection.channels.values where channel.isLive {
        guard let number = channel.caller.flatMap({ people[$0.userID] }) else { continue }
        let event = events[number]
        let ids = channel.bindings.filter { $0.matches(event) }.map(\.id)
        guard !ids.isEmpty, let data = encoded[number] ?? (try? JSONValue(encoding: event))
        else { continue }
        encoded[number] = data
        push(
          .postgresChanges, ["ids": .array(ids.map(JSONValue.integer)), "data": data],
          on: channel)
      }
    }
  }

  private func endSession(_ session: String) {
    for connection in connections.values {
      // A join that is still to be answered is refused with its reason.
      let channels = connection.channels.values.filter {
        $0.isLive && $0.caller?.sessionID == session
      }
      guard !channels.isEmpty else { continue }
      for channel in channels { end(channel, RealtimeRefusal.signedOut.reason) }
      connection.outbox.close(.policyViolation, reason: "signed out")
    }
  }

  // MARK: - Sending

  private func channel(_ id: ChannelID) -> RealtimeChannel? {
    connections[id.socket]?.channels[id.topic].flatMap { $0.id == id ? $0 : nil }
  }

  /// Ends a channel for a reason that its client should hear.
  private func end(_ channel: RealtimeChannel, _ reason: String) {
    pushSystem(reason, isError: true, about: "system", on: channel)
    close(channel)
  }

  private func close(_ channel: RealtimeChannel) {
    var message = RealtimeMessage(topic: channel.id.topic, event: .close)
    message.ref = channel.joinRef
    send(message, on: channel)
    connections[channel.id.socket]?.channels[channel.id.topic] = nil
    retire(channel)
  }

  /// Frees what a channel held once it is out of its connection.
  private func retire(_ channel: RealtimeChannel) {
    expiries.removeValue(forKey: channel.id)?.cancel()
    deliver(presence.leave(channel.id))
    noteOnline(channel)
  }

  private func push(_ event: RealtimeEvent, _ payload: JSONValue, on channel: RealtimeChannel) {
    connections[channel.id.socket]?.outbox.send(
      RealtimeMessage(topic: channel.id.topic, event: event, payload: payload))
  }

  private func pushSystem(
    _ message: String, isError: Bool, about: String, on channel: RealtimeChannel
  ) {
    push(
      .system,
      [
        "channel": .string(channel.name), "extension": .string(about),
        "message": .string(message), "status": isError ? "error" : "ok",
      ], on: channel)
  }

  /// Sends a reply or a close, which carry the join's reference in the second serializer.
  private func send(_ message: RealtimeMessage, on channel: RealtimeChannel) {
    var message = message
    message.topic = channel.id.topic
    message.joinRef = channel.joinRef
    connections[channel.id.socket]?.outbox.send(message)
  }

  private func reply(
    to message: RealtimeMessage, socket: Int, refusal: RealtimeRefusal? = nil
  ) {
    var answer =
      refusal?.reply(ref: message.ref)
      ?? RealtimeMessage(
        topic: message.topic, event: .reply, payload: ["status": "ok", "response": [:]],
        ref: message.ref)
    answer.topic = message.topic
    answer.joinRef = message.joinRef
    connections[socket]?.outbox.send(answer)
  }
}

extension RealtimeRefusal {
  /// The error reply; its topic is filled in by the sender.
  fileprivate func reply(ref: String?) -> RealtimeMessage {
    RealtimeMessage(
      topic: "", event: .reply,
      payload: ["status": "error", "response": ["reason": .string(reason)]], ref: ref)
  }
}
