import RallyDomain
import RallySystem
import RallyWire

/// How a phone is told of.
public enum PhoneText {
  /// When it reported last, or that it did not yet: `reported 4m ago`.
  public static func report(of phone: PhoneRecord, at now: WireTime) -> String {
    guard let time = phone.lastPostAt else { return "has not reported yet" }
    return "reported \(Age.sentence(time, at: now))"
  }

  /// What was wrong with a position of it last: `refused 2h ago: the clock is 3 h ahead`.
  public static func problem(of phone: PhoneRecord, at now: WireTime) -> String? {
    guard let problem = phone.problem else { return nil }
    let time = phone.problemAt.map { " \(Age.sentence($0, at: now))" } ?? ""
    return "refused\(time): \(problem)"
  }
}
