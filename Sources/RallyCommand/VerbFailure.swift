import RallyDomain
import RallySystem

/// The exit codes; scripts depend on them.
package enum VerbStatus: Int32 {
  case ok = 0
  case failed = 1
  case usage = 2
  case notSignedIn = 3
  case offline = 4
  case refused = 5
  case terminalTooSmall = 6
}

/// The failure of a verb: what failed, what to do about it, and the exit code.
package struct VerbFailure: ReportableError {
  package var status: VerbStatus
  package var message: String
  package var advice: String?

  package var sentence: String { advice.map { "\(message) \($0)" } ?? message }

  package init(_ status: VerbStatus, _ message: String, advice: String? = nil) {
    self.status = status
    self.message = message
    self.advice = advice
  }

  package static var notSignedIn: VerbFailure {
    VerbFailure(
      .notSignedIn, "You are not signed in.", advice: "Run `rally login` or `rally signup`.")
  }
}
