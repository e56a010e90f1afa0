import Foundation
import RallyClient
import RallyDomain
import RallyText
import RallyWire

/// A test double below the client's transport: forwards calls to the real server, and holds, fails
/// or answers those under test.
///
/// Rules match a part of the path, such as `fetch_friends` or `/token`. To test an intermediate
/// state, `hold` a call, wait until it `isHeld`, check, and `release` it.
public final class TransportGate: Sendable {
  private enum Rule: Sendable {
    case hold
    /// The call reaches the server, and the response waits.
    case holdAnswer
    case fail(NetworkError)
    /// The call reaches the server, but the response is lost.
    case loseAnswer(NetworkError)
    case answer(HTTPAnswer, isMarked: Bool)
  }

  private struct Entry: Sendable {
    var part: String
    var rule: Rule
    var times: Int
  }

  private struct State: Sendable {
    var entries: [Entry] = []
    var held: [String: Int] = [:]
    var calls: [String] = []
    var bodies: [(path: String, body: Data)] = []
    var sockets: [SocketLink] = []
    var socketFailure: NetworkError?
    var sent: [RealtimeMessage] = []
    /// Of bodies and frames, both ways.
    var bytes = 0
    var areFramesHeld = false
    /// Of which table events are held, while all others pass.
    var delayedTable: String?
    var delayed: [(listener: AsyncStream<String>.Continuation, text: String)] = []
    /// How many more requests pass; nil for all.
    var allowed: Int?
    var refused: [String] = []
    var frameCopies = 1
    var isEmbeddedLost = false
    var areRepeatedLate = false
  }

  private let state = Watched(State())
  private let base: Transport?

  /// - Parameter base: Handles calls without a rule; nil if there is no server, which makes them
  ///   fail.
  public init(over base: Transport? = .live) { self.base = base }

  public var transport: Transport {
    Transport(
      send: { [self] in try await send($0) },
      openSocket: { [self] in try await openSocket($0) })
  }

  // MARK: - Rules

  /// Holds every call of this path until `release`.
  public func hold(_ part: String) { add(part, .hold, times: .max) }

  /// Holds every response of this path until `release`: what the server read grows old.
  public func holdAnswers(_ part: String) { add(part, .holdAnswer, times: .max) }

  public func release(_ part: String) {
    state.change { $0.entries.removeAll { $0.part == part } }
  }

  public func fail(_ part: String, with error: NetworkError, times: Int = .max) {
    add(part, .fail(error), times: times)
  }

  public func loseAnswer(_ part: String, times: Int = 1) {
    add(part, .loseAnswer(.connectionLost), times: times)
  }

  /// - Parameter isMarked: Whether it is the server's own; otherwise it is of something on the way.
  public func answer(
    _ part: String, _ answer: HTTPAnswer, times: Int = .max, isMarked: Bool = true
  ) {
    add(part, .answer(answer, isMarked: isMarked), times: times)
  }

  /// Makes every call and socket fail, as without a network; false ends it.
  public func goOffline(_ isOffline: Bool = true) {
    if isOffline {
      fail("/", with: .unreachable("network is unreachable"))
      state.change { $0.socketFailure = .unreachable("network is unreachable") }
      for socket in state.value.sockets { socket.close() }
    } else {
      release("/")
      state.change { $0.socketFailure = nil }
    }
  }

  /// Lets only so many more requests pass, sockets apart, and refuses the others; nil lets all pass.
  public func allow(_ count: Int?) { state.change { ($0.allowed, $0.refused) = (count, []) } }

  /// What `allow` had no room for.
  public var refused: [String] { state.value.refused }

  private func add(_ part: String, _ rule: Rule, times: Int) {
    state.change { $0.entries.append(Entry(part: part, rule: rule, times: times)) }
  }

  // MARK: - Recorded calls

  /// The paths of all calls, in order; that of several reads has their functions behind it.
  public var calls: [String] { state.value.calls }

  /// The number of calls to paths that contain this part.
  public func calls(of part: String) -> Int {
    state.value.calls.count { $0.contains(part) }
  }

  /// The bytes of all bodies and frames, both ways, without what HTTP and TLS put around them.
  public var bytes: Int { state.value.bytes }

  /// Whether missions around a place were asked for, which an event that comes first may show before.
  public var askedForNearbyMissions: Bool {
    bodies(of: "/rpc/").contains { String(decoding: $0, as: UTF8.self).contains("nearby") }
  }

  /// The bodies sent to paths that contain this part, in order.
  public func bodies(of part: String) -> [Data] {
    state.value.bodies.filter { $0.path.contains(part) }.map(\.body)
  }

  /// Waits until this many calls of a path are held; false after `PollingBackoff.limit`.
  public func isHeld(_ part: String, count: Int = 1) async -> Bool {
    await state.first(within: PollingBackoff.limit) { $0.held[part, default: 0] >= count } != nil
  }

  /// Waits until a path was called this often; false after `PollingBackoff.limit`.
  public func wasCalled(_ part: String, times: Int = 1) async -> Bool {
    await state.first(within: PollingBackoff.limit) {
      $0.calls.count { $0.contains(part) } >= times
    } != nil
  }

  /// Waits until matching messages were sent over sockets; false after `PollingBackoff.limit`.
  public func wasSent(
    times: Int = 1, _ condition: @escaping @Sendable (RealtimeMessage) -> Bool
  ) async -> Bool {
    await state.first(within: PollingBackoff.limit) { $0.sent.count(where: condition) >= times }
      != nil
  }

  /// All messages sent over sockets so far.
  public var sent: [RealtimeMessage] { state.value.sent }

  public var openedSockets: Int { state.value.sockets.count }

  /// Closes all open sockets, as a network failure does.
  public func breakSockets() { for socket in state.value.sockets { socket.close() } }

  /// Closes all sockets and lets none be opened, while requests pass; false ends it.
  public func loseSockets(_ areLost: Bool = true) {
    state.change { $0.socketFailure = areLost ? .unreachable("sockets are lost") : nil }
    if areLost { breakSockets() }
  }

  /// Keeps what the server sends over sockets, until `releaseFrames`.
  public func holdFrames() { state.change { $0.areFramesHeld = true } }

  /// Keeps events of a table, while those of others pass, until `releaseFrames`.
  public func delayEvents(of table: String) { state.change { $0.delayedTable = table } }

  public func releaseFrames() {
    let delayed = state.change { state in
      defer { (state.areFramesHeld, state.delayedTable, state.delayed) = (false, nil, []) }
      return state.delayed
    }
    for (listener, text) in delayed { listener.yield(text) }
  }

  /// How many events `delayEvents` keeps.
  public var delayedEvents: Int { state.value.delayed.count }

  /// Hands on each event that the server sends over sockets so many times.
  public func repeatEvents(_ times: Int) { state.change { $0.frameCopies = times } }

  /// Takes from events what they bring beside their row, as an older server sends them.
  public func loseEmbedded(_ isLost: Bool = true) { state.change { $0.isEmbeddedLost = isLost } }

  /// Hands on events of friendships and of missions once more after later ones.
  public func repeatLate(_ isLate: Bool = true) { state.change { $0.areRepeatedLate = isLate } }

  // MARK: - Transport

  /// The path, with those of the reads that travel in the call: rules and counts are for these too.
  private static func path(_ call: HTTPCall) -> String {
    guard call.path.hasSuffix("/\(CatchUp.name)"), let body = call.body,
      let request = try? WireJSON.decode(CatchUp.self, from: body)
    else { return call.path }
    return request.reads.reduce(call.path) { "\($0) /\($1.function)" }
  }

  private func send(_ call: HTTPCall) async throws -> HTTPAnswer {
    let path = Self.path(call)
    state.change {
      $0.calls.append(path)
      if let body = call.body {
        $0.bodies.append((path, body))
        $0.bytes += body.count
      }
    }
    let isAllowed = state.change { state in
      guard let left = state.allowed else { return true }
      if left > 0 { state.allowed = left - 1 } else { state.refused.append(path) }
      return left > 0
    }
    guard isAllowed else { throw NetworkError.http(status: 400) }
    while true {
      let rule = state.change { state -> (String, Rule)? in
        guard
          let index = state.entries.firstIndex(where: { path.contains($0.part) })
        else { return nil }
        let entry = state.entries[index]
        if entry.times != .max {
          state.entries[index].times -= 1
          if state.entries[index].times == 0 { state.entries.remove(at: index) }
        }
        return (entry.part, entry.rule)
      }
      switch rule {
      case nil:
        guard let base else { throw NetworkError.unreachable("nobody answers \(call.path)") }
        let answer = try await base.send(call)
        state.change { $0.bytes += answer.body.count }
        return answer
      case (_, .fail(let error))?: throw error
      case (_, .answer(let answer, let isMarked))?:
        return isMarked ? answer.marked(for: call) : answer
      case (_, .loseAnswer(let error))?:
        _ = try await base?.send(call)
        throw error
      case (let part, .hold)?: try await wait(forReleaseOf: part)
      case (let part, .holdAnswer)?:
        guard let base else { throw NetworkError.unreachable("nobody answers \(call.path)") }
        let answer = try await base.send(call)
        try await wait(forReleaseOf: part)
        return answer
      }
    }
  }

  private func wait(forReleaseOf part: String) async throws {
    state.change { $0.held[part, default: 0] += 1 }
    let released = await state.first(within: PollingBackoff.limit) { state in
      !state.entries.contains { entry in
        switch entry.rule {
        case .hold, .holdAnswer: entry.part == part
        case .fail, .loseAnswer, .answer: false
        }
      }
    }
    state.change { $0.held[part, default: 0] -= 1 }
    try Task.checkCancellation()
    // Not released in time: fail the call so that the test does not hang.
    if released == nil { throw NetworkError.timedOut }
  }

  private func openSocket(_ call: SocketCall) async throws -> SocketLink {
    state.change { $0.calls.append(call.path) }
    if let failure = state.value.socketFailure { throw failure }
    guard let base else { throw NetworkError.unreachable("nobody answers \(call.path)") }
    var link = try await base.openSocket(call)
    let send = link.send
    link.send = { [state] text in
      state.change { state in
        if let message = RealtimeMessage(text: text) { state.sent.append(message) }
        state.bytes += text.utf8.count
      }
      send(text)
    }
    state.change { [link] in $0.sockets.append(link) }
    link.incoming = frames(link.incoming)
    return link
  }

  private func frames(_ incoming: AsyncStream<String>) -> AsyncStream<String> {
    AsyncStream { continuation in
      let task = Task { [state] in
        var earlier: [String: [String]] = [:]
        for await text in incoming {
          state.change { $0.bytes += text.utf8.count }
          _ = await state.first(within: PollingBackoff.limit) { !$0.areFramesHeld }
          let isEvent = text.contains(RealtimeEvent.postgresChanges.rawValue)
          let table = [FriendshipRecord.table, MissionRecord.table].first {
            isEvent && text.contains("\"table\":\"\($0)\"")
          }
          let sent = isEvent && state.value.isEmbeddedLost ? Self.withoutEmbedded(text) : text
          let isDelayed = state.change { state in
            guard let table, state.delayedTable == table else { return false }
            state.delayed.append((continuation, sent))
            return true
          }
          if isDelayed { continue }
          for _ in 0..<(isEvent ? state.value.frameCopies : 1) { continuation.yield(sent) }
          guard let table else { continue }
          let former = earlier[table, default: []]
          if state.value.areRepeatedLate { for text in former { continuation.yield(text) } }
          earlier[table] = former.suffix(3) + [sent]
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}

extension TransportGate {
  private static func withoutEmbedded(_ text: String) -> String {
    guard var message = RealtimeMessage(text: text), var payload = message.payload.object,
      var change = payload["data"]?.object
    else { return text }
    change["embedded"] = nil
    payload["data"] = .object(change)
    message.payload = .object(payload)
    return JSONWriter.text(of: message.json)
  }
}

extension HTTPAnswer {
  /// The answer as the server gives it to this call: with the value that the call asks for.
  public func marked(for call: HTTPCall) -> HTTPAnswer {
    var answer = self
    answer.headers[AnswerMark.answerHeader.lowercased()] =
      call.headers.first { $0.name == AnswerMark.requestHeader }?.value
    return answer
  }
}
