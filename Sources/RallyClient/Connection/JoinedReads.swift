import FoundationEssentials
import Logging
import RallySystem
import RallyText
import RallyWire
import Synchronization

/// Joins reads that begin at the same moment into one request, `catch_up`, which answers in full only
/// what changed since it was read last.
///
/// A start, a channel that goes live and a wake-up make several stores read several lists at once.
/// That is eleven requests, most of them for lists that are as they were. A read that is alone, a
/// server without the function and a client that was not asked to join them send one request each.
package final class JoinedReads: Sendable {
  struct Read: Sendable {
    var function: String
    /// How many rows of the result are skipped.
    var offset = 0
    /// The request that asks for it alone; its body are the arguments.
    var alone: ServerConnection.Request

    fileprivate var arguments: Data { alone.body ?? Data("{}".utf8) }
  }

  private struct Waiting: Sendable {
    let read: Read
    let continuation: CheckedContinuation<ServerAnswer, any Error>
  }

  /// An answer that the server can say to be the same still.
  private struct Kept: Sendable {
    var digest: String
    var answer: ServerAnswer
  }

  private struct State: Sendable {
    var isWanted = false
    /// Whether the server may have the function.
    var isOffered = true
    var next = 0
    /// Whether all that wait can wait longer.
    var isPatient = false
    var waiting: [Int: Waiting] = [:]
    var sent: [Int: Waiting] = [:]
    var kept: [String: Kept] = [:]
    /// The keys of `kept`, what was kept first at the front.
    var order: [String] = []
    var keptBytes = 0
    /// Whose they are.
    var owner: UUID?

    mutating func keep(_ answer: Kept, as key: String) {
      drop(key)
      kept[key] = answer
      order.append(key)
      keptBytes += answer.answer.body.count
      while keptBytes > JoinedReads.mostKept, let first = order.first { drop(first) }
    }

    private mutating func drop(_ key: String) {
      guard let old = kept.removeValue(forKey: key) else { return }
      keptBytes -= old.answer.body.count
      order.removeAll { $0 == key }
    }

    mutating func forget() { (kept, order, keptBytes) = ([:], [], 0) }
  }

  /// How long the first of several waits for the others, and so often as long as more come.
  private static let pause = Duration.milliseconds(5)
  private static let mostPauses = 16
  /// How often background reads wait: channels go live one soon after the other.
  private static let patientPauses = 12

  /// Whether nobody waits for what is read: it waits a moment for more to travel with it.
  @TaskLocal package static var isPatient = false
  /// Bytes of all answers that are kept: the lists of thousands of friends.
  private static let mostKept = 4_194_304

  private let state = Mutex(State())
  private let owner: @Sendable () async -> UUID?
  private let log = RallyLog.logger("SupabaseClient")

  /// - Parameter owner: Who is signed in.
  init(owner: @escaping @Sendable () async -> UUID?) { self.owner = owner }

  /// Joins reads from now on.
  func begin() { state.withLock { $0.isWanted = true } }

  /// - Throws: As `ServerConnection.sendAsPerson`, and `CancellationError` as soon as the task is
  ///   cancelled.
  func answer(to read: Read, over connection: ServerConnection) async throws -> ServerAnswer {
    guard state.withLock({ $0.isWanted && $0.isOffered }) else {
      return try await connection.sendAsPerson(read.alone)
    }
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isFirst = state.withLock { state in
          state.waiting[id] = Waiting(read: read, continuation: continuation)
          let isFirst = state.waiting.count == 1
          state.isPatient = Self.isPatient && (isFirst || state.isPatient)
          return isFirst
        }
        if Task.isCancelled { end(id, .failure(CancellationError())) }
        if isFirst { Task { await flush(over: connection) } }
      }
    } onCancel: {
      end(id, .failure(CancellationError()))
    }
  }

  private func end(_ id: Int, _ result: Result<ServerAnswer, any Error>) {
    let waiting = state.withLock {
      $0.waiting.removeValue(forKey: id) ?? $0.sent.removeValue(forKey: id)
    }
    waiting?.continuation.resume(with: result)
  }

  /// Sends what waits.
  private func flush(over connection: ServerConnection) async {
    var known = 1
    for pauses in 1...Self.mostPauses {
      try? await DispatchSleep.for(Self.pause)
      let (count, isPatient) = state.withLock { ($0.waiting.count, $0.isPatient) }
      if count == known, !isPatient || pauses >= Self.patientPauses { break }
      known = count
    }
    let owner = await owner()
    let reads = state.withLock { state in
      // What somebody else was answered is not kept for who comes after them.
      if state.owner != owner { state.forget() }
      state.owner = owner
      let waiting = state.waiting
      state.waiting = [:]
      state.sent.merge(waiting) { old, _ in old }
      return waiting.sorted { $0.key < $1.key }.map { (id: $0.key, read: $0.value.read) }
    }
    await withTaskGroup { group in
      for start in stride(from: 0, to: reads.count, by: CatchUp.mostReads) {
        let batch = Array(reads[start..<min(start + CatchUp.mostReads, reads.count)])
        group.addTask { await self.answer(batch, over: connection) }
      }
    }
  }

  private func answer(
    _ batch: [(id: Int, read: Read)], over connection: ServerConnection
  ) async {
    guard batch.count > 1 else { return await alone(batch, over: connection) }
    do {
      let asked = try batch.map { _, read in
        let arguments = try JSONReader.value(of: read.arguments)
        let key = Self.key(read)
        return CatchUp.Read(
          function: read.function, arguments: arguments,
          offset: read.offset > 0 ? read.offset : nil,
          digest: state.withLock { $0.kept[key]?.digest })
      }
      var call = ServerConnection.Request(path: "/rest/v1/rpc/\(CatchUp.name)")
      call.body = try WireJSON.encode(CatchUp(reads: asked))
      call.isRepeatable = true
      let answer = try await connection.sendAsPerson(call)
      guard let answers = (try? JSONReader.value(of: answer.body))?.array,
        answers.count == batch.count
      else { return await giveUp(batch, over: connection) }
      log.info("\(CatchUp.name) — reads: \(batch.count), bytes: \(answer.body.count)")
      var rest: [(id: Int, read: Read)] = []
      for (item, json) in zip(batch, answers) {
        guard let one = CatchUp.Answer(json), let result = take(one, of: item.read, in: answer)
        else {
          rest.append(item)
          continue
        }
        end(item.id, result)
      }
      await alone(rest, over: connection)
    } catch NetworkError.refused(let failure, _) where failure.isUnknownFunction {
      await giveUp(batch, over: connection)
    } catch {
      for item in batch { end(item.id, .failure(error)) }
    }
  }

  /// Asks a server that does not have the function, or answers it with something else, one by one
  /// from now on.
  private func giveUp(
    _ batch: [(id: Int, read: Read)], over connection: ServerConnection
  ) async {
    state.withLock { $0.isOffered = false }
    await alone(batch, over: connection)
  }

  /// The result of one read; nil if it is to be sent by itself.
  private func take(
    _ answer: CatchUp.Answer, of read: Read, in whole: ServerAnswer
  ) -> Result<ServerAnswer, any Error>? {
    if let failure = answer.failure {
      return .failure(NetworkError.refused(failure, status: answer.status ?? 400))
    }
    guard let digest = answer.digest else { return nil }
    let key = Self.key(read)
    guard let value = answer.value else {
      let kept = state.withLock { $0.kept[key] }
      guard let kept, kept.digest == digest else { return nil }
      return .success(kept.answer)
    }
    let part = whole.part(
      Data(JSONWriter.bytes(of: value)), isWhole: answer.isWhole ?? true, offset: read.offset,
      count: value.array?.count)
    state.withLock { $0.keep(Kept(digest: digest, answer: part), as: key) }
    return .success(part)
  }

  private func alone(
    _ reads: [(id: Int, read: Read)], over connection: ServerConnection
  ) async {
    await withTaskGroup { group in
      for item in reads {
        group.addTask {
          do {
            let answer = try await connection.sendAsPerson(item.read.alone)
            self.end(item.id, .success(answer))
          } catch {
            self.end(item.id, .failure(error))
          }
        }
      }
    }
  }

  private static func key(_ read: Read) -> String {
    "\(read.function) \(read.offset) \(String(decoding: read.arguments, as: UTF8.self))"
  }
}
