import RallyText
import RallyWire

/// The result of checking a server.
public struct ServerExamination: Hashable, Sendable {
  /// The response time on an open connection.
  public var milliseconds: Int
  /// `GoTrue 1.2.0`; nil if unknown.
  public var version: String?
  /// How far its clock is ahead of this machine's, in seconds, to about one; nil if unknown.
  public var skew: Int?

  init(_ answer: ServerAnswer, elapsed: Duration, askedAt: WireTime) {
    milliseconds = Int(elapsed.inMilliseconds)
    let health = try? WireJSON.decode(Health.self, from: answer.body)
    version = TextLimits.name.shown(
      [health?.name, health?.version].compactMap(\.self).joined(separator: " "))
    if version?.isEmpty == true { version = nil }
    guard let date = answer.headers["date"].flatMap(WireTime.init(httpDate:)) else { return }
    // The header has whole seconds: on average half a second is missing.
    let middle = askedAt.advanced(by: elapsed / 2)
    let difference = date.advanced(by: .milliseconds(500)).since(middle)
    skew = Int(difference.inSeconds.rounded())
  }

  private struct Health: Decodable {
    var name: String?
    var version: String?
  }
}
