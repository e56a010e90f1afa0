import CDispatch
import Foundation
import Logging
import RallyRules
import RallyStorage
import RallyText
import RallyWire

/// All sockets, their channels and who is present: the one place where realtime state changes.
///
/// Whatever needs the database is written down as work: is this session alive, who are this
/// person's friends, who is hidden from whom. The feed reader answers it from the same snapshot as
/// the changes. So the state here always is the database's at one point of the feed.
package actor RealtimeHub: NodeSockets {
  struct Connection {
    let outbox: SocketOutbox
    var channels: [String: RealtimeChannel] = [:]
    var joins: Pace
    var messages: Pace
    /// Bytes of the bindings that its joins have named so far.
    var declaredBytes = 0
  }

  let budgets: BudgetKeeper
  let presentUsers: PresentUsers
  /// This server among others on its database; nil if there can be none.
  let node: String?
  private let gateway: Gateway
  /// Wakes the feed reader.
  let wake: @Sendable () -> Void

  private(set) var connections: [Int: Connection] = [:]
  /// The live channels of each person.
  private(set) var channelsOf: [String: Set<ChannelID>] = [:]
  /// The people with a live channel that receives rows.
  private(set) var listeners: Set<String> = []
  /// Those of them whose events bring what they would fetch.
  private(set) var embedders: Set<String> = []
  /// The live channels of each topic.
  private(set) var channelsIn: [String: Set<ChannelID>] = [:]
  /// What ends each channel when its token does.
  private var expiries: [ChannelID: DispatchWorkItem] = [:]
  var presence: [String: PresenceTracker] = [:]
  var work = FeedRequests()
  /// For the other servers; empty if there can be none.
  var news = SharedNews()
  /// Bytes of the broadcasts that wait in `work`.
  var waitingBroadcasts = 0
  /// How fast people broadcast over HTTP.
  var senders: [String: Pace] = [:]
  var usage = RealtimeUsage()
  var patterns = PatternTable()
  private let trim = HeapTrim()
  private var lastSocket = 0
  private var lastGeneration = 0
  private var lastBinding: Int64 = 0
  private var isClosing = false
  /// Who waits until the last socket is gone.
  private var waitingForEnd: [CheckedContinuation<Void, Never>] = []
  /// Bytes of bindings after which a socket's end is worth giving memory back.
  private static let muchMemory = 64 << 10

  package init(
    gateway: Gateway, presentUsers: PresentUsers, budgets: BudgetKeeper, node: String? = nil,
    wake: @escaping @Sendable () -> Void
  ) {
    self.gateway = gateway
    self.presentUsers = presentUsers
    self.budgets = budgets
    self.node = node
    self.wake = wake
  }

  // MARK: - Sockets

  package func connect(_ outbox: SocketOutbox) -> Int {
    lastSocket += 1
    connections[lastSocket] = Connection(
      outbox: outbox, joins: Pace(Double(budgets[.joinsPerSocket])),
      messages: Pace(Double(budgets[.messagesPerSocket])))
    if isClosing { outbox.close(1001, reason: "server ends") }
    return lastSocket
  }

  func disconnect(_ socket: Int) {
    guard let connection = connections.removeValue(forKey: socket) else { return }
    for channel in connection.channels.values { retire(channel) }
    if connection.declaredBytes >= RealtimeHub.muchMemory { trim.run() }
    guard connections.isEmpty else { return }
    for waiting in waitingForEnd { waiting.resume() }
    waitingForEnd = []
  }

  /// Returns when every socket has reported its end, which it does a moment after it was closed.
  func waitUntilEmpty() async {
    guard !connections.isEmpty else { return }
    await withCheckedContinuation { waitingForEnd.append($0) }
  }

  /// How much is open at this moment.
  var counts: (sockets: Int, channels: Int, people: Int) {
    (
      connections.count, connections.values.reduce(0) { $0 + $1.channels.count },
      presentUsers.online.count
    )
  }

  /// Says goodbye to everybody.
  func closeAll() {
    isClosing = true
    for connection in connections.values { connection.outbox.close(1001, reason: "server ends") }
  }

  // MARK: - Messages

  func receive(_ message: ClientMessage, from socket: Int) {
    switch message {
    case .message(let message): receive(message, from: socket)
    case .broadcast(let push):
      // Looks like the text form to everything that happens before its body matters.
      let message = RealtimeMessage(
        topic: push.topic, event: .broadcast, ref: push.ref, joinRef: push.joinRef)
      if let channel = channel(for: message, from: socket) { broadcast(push, on: channel) }
    }
  }

  package func receive(_ message: RealtimeMessage, from socket: Int) {
    switch message.event {
    case .heartbeat where message.topic == RealtimeTopic.phoenix:
      reply(to: message, socket: socket)
    case .join: join(message, socket: socket)
    default:
      if let channel = channel(for: message, from: socket) { receive(message, on: channel) }
    }
  }

  /// The channel that a message is meant for. Nil when there is none, which is answered, when it is
  /// from before the channel was joined again, or when it is one too many.
  private func channel(for message: RealtimeMessage, from socket: Int) -> RealtimeChannel? {
    guard let channel = connections[socket]?.channels[message.topic] else {
      reply(to: message, socket: socket, refusal: .unmatchedTopic)
      return nil
    }
    // By their text, which is all that binary frames have of them.
    if let joinRef = message.joinRef, joinRef.referenceText != channel.joinRef?.referenceText {
      return nil
    }
    guard connections[socket]?.messages.take() == true || message.event == .leave else {
      budgets.didRefuse(.messagesPerSocket)
      end(channel, "Too many messages per second")
      return nil
    }
    return channel
  }

  private func receive(_ message: RealtimeMessage, on channel: RealtimeChannel) {
    switch message.event {
    case .leave:
      reply(to: message, socket: channel.id.socket)
      close(channel)
    case .accessToken: refreshToken(message.payload["access_token"]?.string, on: channel)
    case .presence: receivePresence(message, on: channel)
    case .broadcast:
      if let push = BroadcastPush(message) {
        broadcast(push, on: channel)
      } else {
        refuse(message.ref, .noEvent, on: channel)
      }
    // The hosted service ignores unknown events.
    default: break
    }
  }

  // MARK: - Joining

  private func join(_ message: RealtimeMessage, socket: Int) {
    let request = JoinRequest(message.payload)
    do throws(RealtimeRefusal) {
      guard connections[socket]?.joins.take() == true else {
        budgets.didRefuse(.joinsPerSocket)
        reply(to: message, socket: socket, refusal: .tooManyJoins)
        connections[socket]?.outbox.close(1008, reason: "too many joins per second")
        return
      }
      guard request.isBounded(message) else { throw .referenceTooLong }
      let access = try TopicAccess(topic: message.topic, isPrivate: request.isPrivate)
      if let old = connections[socket]?.channels[message.topic] { close(old) }
      guard
        budgets.allows(.channelsPerSocket, beside: connections[socket]?.channels.count ?? 0)
      else { throw .tooManyChannels }
      guard budgets.allows(.bindingsPerChannel, of: request.bindings.count) else {
        throw .tooManyBindings(budgets[.bindingsPerChannel])
      }
      let claims = try claims(of: request.token)
      // Without a name nobody is in a mission.
      guard access.missionID == nil || Caller(claims) != nil else {
        throw .noPermission(message.topic)
      }
      let declared = DeclaredBindings(request.bindings, firstID: lastBinding + 1)
      connections[socket]?.declaredBytes += declared.size
      lastBinding += Int64(request.bindings.count)
      lastGeneration += 1
      let id = ChannelID(socket: socket, topic: message.topic, generation: lastGeneration)
      try charge(id, for: declared, to: claims)
      let channel = RealtimeChannel(
        id: id, access: access, joinRef: message.joinRef ?? message.ref, request: request,
        declared: declared, claims: claims, presenceCalls: budgets[.presencePerChannel])
      connections[socket]?.channels[message.topic] = channel
      enqueue(.join(ref: message.ref), channel, claims: claims, token: request.token)
    } catch {
      reply(to: message, socket: socket, refusal: error)
    }
  }

  /// Claims of a user's token; without one, or with an opaque key, those of the API key.
  private func claims(of token: String?) throws(RealtimeRefusal) -> AccessClaims {
    let text = token.flatMap { $0.isEmpty || $0.hasPrefix("sb_") ? nil : $0 } ?? gateway.apiKey
    do {
      return try gateway.signer.verify(text)
    } catch {
      throw RealtimeRefusal(error)
    }
  }

  func enqueue(
    _ kind: FeedRequests.Join.Kind, _ channel: RealtimeChannel, claims: AccessClaims, token: String?
  ) {
    let wantsFriends =
      switch kind {
      case .join: channel.wantsPresence
      case .presence: true
      case .renewal: false
      }
    work.joins.append(
      .init(
        channel: channel.id, access: channel.access, kind: kind, claims: claims, token: token,
        wantsFriends: wantsFriends))
    wake()
  }

  func complete(_ join: FeedRequests.Join, with answer: FeedSnapshot) {
    guard var channel = channel(join.channel) else { return }
    var refusal = refusal(of: join, with: answer)
    let echo = channel.declared?.echo ?? []
    if refusal == nil, join.kind.bringsClaims {
      channel.claims = join.claims
      do throws(RealtimeRefusal) { try activate(&channel) } catch { refusal = error }
    }
    switch join.kind {
    case .join(let ref):
      if let refusal {
        connections[channel.id.socket]?.channels[channel.id.topic] = nil
        retire(channel)
        return send(refusal.reply(ref: ref), on: channel)
      }
      scheduleExpiry(of: channel)
      channel.isLive = true
      store(channel)
      send(
        RealtimeMessage(
          topic: channel.id.topic, event: .reply,
          payload: [
            "status": "ok",
            "response": ["postgres_changes": echo],
          ], ref: ref),
        on: channel)
      if channel.wantsPresence { enter(channel, with: answer) }
      announceBindings(of: channel)
    case .renewal:
      if let refusal { return end(channel, refusal.reason) }
      channel.token = join.token
      scheduleExpiry(of: channel)
      store(channel)
      announceBindings(of: channel)
    case .presence(let message):
      if let refusal { return end(channel, refusal.reason) }
      channel.wantsPresence = true
      store(channel)
      enter(channel, with: answer)
      track(message, on: channel)
    }
  }

  private func refusal(of join: FeedRequests.Join, with answer: FeedSnapshot) -> RealtimeRefusal? {
    if let caller = join.caller, !answer.activeSessions.contains(caller.sessionID) {
      return .signedOut
    }
    if !answer.admitted.contains(join.channel) { return .noPermission(join.access.topic) }
    return nil
  }

  // MARK: - Tokens

  private func refreshToken(_ token: String?, on channel: RealtimeChannel) {
    guard let token, token != channel.token, !token.hasPrefix("sb_"), !token.isEmpty else { return }
    do throws(RealtimeRefusal) {
      let claims = try claims(of: token)
      guard claims.subject == channel.claims.subject || channel.claims.subject == nil else {
        throw RealtimeRefusal(reason: "Unauthorized: The token belongs to somebody else")
      }
      guard channel.claims.subject != nil || channel.access.kind != .presence else {
        throw RealtimeRefusal(reason: "Unauthorized: Join again to be present by name")
      }
      enqueue(.renewal, channel, claims: claims, token: token)
    } catch {
      end(channel, error.reason)
    }
  }

  private func scheduleExpiry(of channel: RealtimeChannel) {
    expiries[channel.id]?.cancel()
    let id = channel.id
    let expiry = DispatchWorkItem { [weak self] in Task { await self?.expire(id) } }
    expiries[id] = expiry
    // Later moments do not fit into dispatch's nanoseconds; no socket lives for a century either.
    let last = min(channel.claims.expiresAt, WireTime.now.microseconds / 1_000_000 + 3_000_000_000)
    let deadline = timespec(tv_sec: Int(last), tv_nsec: 0)
    DispatchQueue.timers.asyncAfter(
      wallDeadline: DispatchWallTime(timespec: deadline), execute: expiry)
  }

  private func expire(_ id: ChannelID) {
    guard let channel = channel(id) else { return }
    let seconds = max(0, WireTime.now.microseconds / 1_000_000 - channel.claims.expiresAt)
    end(channel, "Token has expired \(seconds) seconds ago")
  }

  // MARK: - Channels

  /// nil for one that was left, or joined again, since.
  func channel(_ id: ChannelID) -> RealtimeChannel? {
    connections[id.socket]?.channels[id.topic].flatMap { $0.id == id ? $0 : nil }
  }

  /// Keeps a changed channel, and finds it by person and topic once it is live.
  func store(_ channel: RealtimeChannel) {
    let (id, old) = (channel.id, self.channel(channel.id)?.caller?.userID)
    connections[id.socket]?.channels[id.topic] = channel
    guard channel.isLive else { return }
    if let old, old != channel.caller?.userID { remove(id, of: old) }
    if let person = channel.caller?.userID {
      channelsOf[person, default: []].insert(id)
      updateListening(of: person)
    }
    channelsIn[id.topic, default: []].insert(id)
  }

  /// Ends a channel for a reason that its client is sent.
  func end(_ channel: RealtimeChannel, _ reason: String) {
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

  private func remove(_ id: ChannelID, of person: String) {
    channelsOf.remove(id, at: person)
    updateListening(of: person)
  }

  /// Notes whether somebody listens when one of their channels changed. To look at everybody in each
  /// turn takes most of the time while thousands join.
  private func updateListening(of person: String) {
    let bindings = channelsOf[person]?.lazy.compactMap { self.channel($0)?.bindings }
    let isListening = bindings?.contains { !$0.isEmpty } == true
    if isListening { listeners.insert(person) } else { listeners.remove(person) }
    let isEmbedding = bindings?.contains { $0.contains { $0.pattern.shape.isEmbedding } } == true
    if isEmbedding { embedders.insert(person) } else { embedders.remove(person) }
  }

  /// Frees what a channel held once it is out of its connection.
  private func retire(_ channel: RealtimeChannel) {
    expiries.removeValue(forKey: channel.id)?.cancel()
    if let person = channel.caller?.userID { remove(channel.id, of: person) }
    channelsIn.remove(channel.id, at: channel.id.topic)
    leavePresence(channel)
    releaseBindings(of: channel)
  }
}

extension [String: Set<ChannelID>] {
  fileprivate mutating func remove(_ id: ChannelID, at key: String) {
    self[key]?.remove(id)
    if self[key]?.isEmpty == true { self[key] = nil }
  }
}
