import Foundation
import RallyClient
import RallyDomain
import RallyText
import RallyWire

/// Text as an attacker writes it: sequences for a terminal, controls, orders of writing, separators
/// of lines, tags, joiners and a cluster of 200,000 accents.
public enum HostileText {
  /// - Parameter accents: How many marks the last letter has.
  public static func text(accents: Int = 200_000) -> String {
    "x\u{1B}]0;owned\u{7}\u{1B}[2J\u{9B}31m\u{90}q\u{9C}\u{7F}\u{85}\u{202E}\u{2066}\u{61C}\u{200F}"
      + "\u{2028}\u{2029}\u{FEFF}\u{FFF9}\u{E0041}\u{E007F}\u{200B}\u{200D}\r\n\t\u{8}e"
      + String(repeating: "\u{301}", count: accents)
  }

  /// The scalars of printed text that may not be there, each once; lines may end.
  public static func forbidden(in text: String) -> [Unicode.Scalar] {
    Set(text.unicodeScalars.filter { $0.actsOnDisplay && $0 != "\n" }).sorted()
  }

  /// How many marks the longest cluster of a text has.
  public static func marks(in text: String) -> Int {
    text.map { cluster in
      cluster.unicodeScalars.count {
        [.nonspacingMark, .spacingMark, .enclosingMark].contains($0.properties.generalCategory)
      }
    }.max() ?? 0
  }

  /// A server that puts `text` into every string which people could have written, and into every
  /// list a row that nobody can read.
  ///
  /// - Parameter base: Gives the answers that are falsified.
  public static func transport(
    over base: Transport = .live, text: String = HostileText.text()
  ) -> Transport {
    Transport(
      send: { call in
        var answer = try await base.send(call)
        guard call.path.contains("/rest/v1/"), answer.status < 300,
          let value = try? WireJSON.decode(JSONValue.self, from: answer.body)
        else { return answer }
        var falsified = falsified(value, text)
        if case .array(let rows) = falsified { falsified = .array([["id": 7]] + rows) }
        answer.body = try WireJSON.encode(falsified)
        return answer
      },
      openSocket: { call in
        let link = try await base.openSocket(call)
        let (incoming, received) = AsyncStream.makeStream(of: String.self)
        Task {
          for await frame in link.incoming {
            let value = try? WireJSON.decode(JSONValue.self, from: Data(frame.utf8))
            let changed = value.flatMap { try? WireJSON.text(Self.falsified($0, text)) }
            received.yield(changed ?? frame)
          }
          received.finish()
        }
        return SocketLink(
          answer: link.answer, incoming: incoming, send: link.send, close: link.close)
      })
  }

  /// Columns that hold what people write.
  private static let written: Set<String> = [
    "username", "display_name", "bio", "title", "brief", "text", "mission_title",
    "objective_title", "source",
  ]

  static func falsified(_ value: JSONValue, _ text: String) -> JSONValue {
    switch value {
    case .array(let values): .array(values.map { falsified($0, text) })
    case .object(let fields):
      .object(
        Dictionary(
          uniqueKeysWithValues: fields.map { key, value in
            let isText = written.contains(key) && value.string != nil
            return (key, isText ? .string((value.string ?? "") + text) : falsified(value, text))
          }))
    default: value
    }
  }
}

/// A seeded random number generator: SplitMix64 (Steele, Lea, Flood 2014).
///
/// `RALLY_TEST_SEED` shifts all seeds, so that `make check-deep` tests other cases in each round.
public struct SeededGenerator: RandomNumberGenerator {
  /// Whether the default seeds are in use. With others, tests cannot expect particular cases to
  /// occur.
  public static var isUsual: Bool { shift == 0 }

  private static let shift =
    ProcessInfo.processInfo.environment["RALLY_TEST_SEED"].flatMap(UInt64.init) ?? 0

  private var state: UInt64

  public init(seed: UInt64) { state = seed &+ SeededGenerator.shift &* 1_000_003 }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

#if canImport(Testing)
  import Testing

  /// A limit on the CPU time for parsing one hostile input.
  ///
  /// Measures the CPU time of the calling thread, so a busy machine does not matter. Generous,
  /// since a debug build on a slow machine must stay far below it; unbounded work exceeds any
  /// limit.
  public enum CPUTimeLimit {
    /// For one input of at most a few kilobytes.
    public static let perInput: Duration = .seconds(5)

    /// Runs the work; records an issue with the input and the seed if it took longer.
    ///
    /// - Throws: What `work` throws.
    @discardableResult
    public static func check<Value>(
      _ input: @autoclosure () -> String, sourceLocation: SourceLocation = #_sourceLocation,
      _ work: () throws -> Value
    ) rethrows -> Value {
      let begin = now
      defer {
        let used = now - begin
        if used > perInput {
          let seed = ProcessInfo.processInfo.environment["RALLY_TEST_SEED"] ?? "0"
          Issue.record(
            "\(used) of processor time with RALLY_TEST_SEED=\(seed) for \(input().prefix(300))",
            sourceLocation: sourceLocation)
        }
      }
      return try work()
    }

    /// The CPU time of this thread.
    private static var now: Duration {
      withUnsafeTemporaryAllocation(of: timespec.self, capacity: 1) { time in
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, time.baseAddress!)
        // As numbers: which C module has the members depends on what else is imported, and when.
        return time.withMemoryRebound(to: Int.self) { .seconds($0[0]) + .nanoseconds($0[1]) }
      }
    }
  }
#endif
