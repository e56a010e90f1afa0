/// What went wrong between the rules and the database; names no value of any row.
struct StorageFailure: Error, Hashable, Sendable, CustomStringConvertible {
  enum Kind: Hashable, Sendable {
    /// A row is not what only this program could have written.
    case damaged
    /// A row that others refer to is missing, or there is one like it already.
    case constraint
    /// There is no room left on the disk.
    case full
    /// The disk did not take or give what it was asked to.
    case io
    /// The transaction ended before it was complete.
    case aborted
    /// Others kept it from being done, for longer than anybody wants to wait.
    case busy
    /// It took longer than it may.
    case interrupted
    /// The database server does not answer.
    case unreachable
    case other
  }

  var kind: Kind
  /// What the engine said.
  var message: String

  static func damaged(_ message: String) -> StorageFailure {
    StorageFailure(kind: .damaged, message: message)
  }

  var description: String { message }

  /// What to say of it to whoever asked; nil where that is no business of theirs.
  ///
  /// PostgreSQL's codes for no room and for a broken disk, PostgREST's for a database that is away or
  /// too busy, PostgreSQL's for a statement that was stopped: the same call can succeed later.
  var refusal: (code: String, message: String, status: Int)? {
    switch kind {
    case .full:
      ("53100", "The server has no room left, so that nothing was changed. Try again later.", 503)
    case .io:
      (
        "58030", "The server's disk does not answer, so that nothing was changed. Try again later.",
        503
      )
    case .unreachable:
      ("PGRST001", "The server's database cannot be reached. Try again later.", 503)
    case .interrupted:
      (
        "57014", "This took the server too long, so that it was stopped. Ask for less, or later.",
        503
      )
    case .busy: ("PGRST003", "The server's database is too busy. Try again later.", 504)
    case .damaged, .constraint, .aborted, .other: nil
    }
  }
}
