import Foundation
import HTTPTypes
import RallyStorage
import RallyText
import RallyWire

extension FunctionTable {
  /// `catch_up`: the reads of its request one after the other, each by the function that it names.
  ///
  /// The gates are those of the functions, since these are called; nothing else is read, and no
  /// position of the change feed leaves the server. A digest is keyed by the server's secret and
  /// made over the reader, the read and the bytes that would be sent: it reveals nothing but
  /// whether their own answer changed.
  mutating func addCatchUp(marks: CellMarks) {
    let table = self
    add(CatchUp.self, isReadOnly: true) { [reads] arguments, caller, storage in
      let function = try await reads.parse(arguments, of: caller, from: storage) {
        try caller.requireActiveSession(in: $0)
      } _: {
        try FunctionArguments.decode(CatchUp.self, from: $0).function
      }
      guard function.reads.count <= CatchUp.mostReads else {
        throw FunctionFailure(
          .invalidArgument, "At most \(CatchUp.mostReads) reads are answered at once.")
      }
      var answers: [JSONValue] = []
      var bytes = 0
      for read in function.reads {
        guard bytes < table.mostBytes else {
          answers.append([:])
          continue
        }
        answers.append(
          try await table.answer(to: read, of: caller, from: storage, marks: marks, bytes: &bytes))
      }
      return .array(answers)
    }
  }

  /// The answers end after this many bytes: a response is no larger than four of a single read.
  private var mostBytes: Int { 3 * budgets[.answerBytes] }

  private func answer(
    to read: CatchUp.Read, of caller: Caller, from storage: Storage, marks: CellMarks,
    bytes: inout Int
  ) async throws -> JSONValue {
    let refusal: (failure: FunctionFailure, status: Int)
    do {
      let (value, text, isWhole) = try await value(of: read, for: caller, from: storage)
      let digest = marks.digest(of: text, read: read, reader: caller.userID)
      if digest == read.digest { return ["digest": .string(digest)] }
      bytes += text.count
      return ["digest": .string(digest), "value": value, "is_whole": .bool(isWhole)]
    } catch let failure as FunctionFailure {
      refusal = (failure, failure.status)
    } catch let failure as StorageFailure {
      guard let known = failure.refusal else { throw failure }
      refusal = (FunctionFailure(code: known.code, message: known.message), known.status)
    }
    return [
      "failure": try JSONValue(encoding: refusal.failure),
      "status": .integer(Int64(refusal.status)),
    ]
  }

  /// What the function alone answers, its text, and whether no rows follow.
  private func value(
    of read: CatchUp.Read, for caller: Caller, from storage: Storage
  ) async throws -> (JSONValue, text: Data, isWhole: Bool) {
    guard let entry = self[read.function], entry.isReadOnly, entry.name != CatchUp.name else {
      throw FunctionFailure.unknown(
        read.function, arguments: read.arguments.object.map { Array($0.keys) } ?? [])
    }
    let arguments = Data(JSONWriter.bytes(of: read.arguments))
    var value = try await entry.call(arguments, caller, storage) ?? .null
    switch entry.result {
    case .rows(let relation):
      let rows = (value.array ?? []).map { relation.completed($0.object ?? [:]) }
      let start = min(max(read.offset ?? 0, 0), rows.count)
      let page = RowAnswer(query: .none, preferences: try Preferences([:]), budgets: budgets)
      let (text, count) = page.encoded(rows[start...])
      let sent = rows[start..<start + count]
      return (.array(sent.map(JSONValue.object)), text, start + count == rows.count)
    case .row(let relation) where value != .null:
      value = .object(relation.completed(value.object ?? [:]))
    case .row, .value, .requested: break
    }
    return (value, Data(JSONWriter.bytes(of: value)), true)
  }
}

extension CellMarks {
  /// The digest of an answer to a reader.
  fileprivate func digest(of text: Data, read: CatchUp.Read, reader: String) -> String {
    let arguments = JSONWriter.text(of: read.arguments)
    let words = "rally answer \(reader) \(read.function) \(read.offset ?? 0) \(arguments)\n"
    let key = keys.current.secret
    return Base64URL.encode(Sodium.hmac(Array(words.utf8) + text, key: key).prefix(16))
  }
}
