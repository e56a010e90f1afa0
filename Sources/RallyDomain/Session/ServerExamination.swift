import Foundation
import RallyText
import RallyWire

/// What a server says of itself when it is asked for a sign of life.
public struct ServerExamination: Hashable, Sendable {
  /// How long one question took on a connection that was there.
  public var milliseconds: Int
  /// `GoTrue 1.2.0`; nil where it does not say.
  public var version: String?
  /// How far its clock is before this machine's, in seconds, to about one; nil where it does not
  /// tell the time.
  public var skew: Int?

  init(_ answer: HTTPAnswer, elapsed: Duration, askedAt: WireTime) {
    milliseconds = Int(
      elapsed.components.seconds * 1000 + elapsed.components.attoseconds / 1_000_000_000_000_000)
    let health = try? WireJSON.decode(Health.self, from: answer.body)
    version = TextLimits.name.shown(
      [health?.name, health?.version].compactMap(\.self).joined(separator: " "))
    if version?.isEmpty == true { version = nil }
    guard let date = answer.headers["date"].flatMap(WireTime.init(httpDate:)) else { return }
    // The header is cut to the second: on the average half of one is missing.
    let middle = askedAt.advanced(by: elapsed / 2)
    let difference = date.advanced(by: .milliseconds(500)).since(middle)
    skew = Int(
      (Double(difference.components.seconds)
        + Double(difference.components.attoseconds) / 1e18).rounded())
  }

  private struct Health: Decodable {
    var name: String?
    var version: String?
  }
}
