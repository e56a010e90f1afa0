/// The exit codes; scripts depend on them.
enum VerbStatus: Int32 {
  case ok = 0
  case failed = 1
  case usage = 2
  case notSignedIn = 3
  case offline = 4
  case refused = 5
  case terminalTooSmall = 6
}

/// The failure of a verb: what failed, what to do about it, and the exit code.
struct VerbFailure: Error {
  var status: VerbStatus
  var message: String
  var advice: String?

  init(_ status: VerbStatus, _ message: String, advice: String? = nil) {
    self.status = status
    self.message = message
    self.advice = advice
  }

  static var notSignedIn: VerbFailure {
    VerbFailure(
      .notSignedIn, "You are not signed in.", advice: "Run `rally login` or `rally signup`.")
  }
}
