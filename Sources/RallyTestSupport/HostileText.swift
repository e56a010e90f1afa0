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
