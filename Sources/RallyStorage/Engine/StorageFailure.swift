/// An error of storage; contains no value of any row.
package struct StorageFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// A row has an invalid value.
    case damaged
    /// A constraint is violated: a missing reference or a duplicate.
    case constraint
    /// The database can be read and not be changed.
    case readOnly
    /// The database takes no more connections.
    case crowded
    /// The disk is full.
    case full
    /// The disk reported an error.
    case io
    /// The transaction was aborted.
    case aborted
    /// Other transactions blocked it for too long.
    case busy
    /// It exceeded its time limit.
    case interrupted
    /// The database server cannot be reached.
    case unreachable
    case other
  }

  package var kind: Kind
  /// The engine's message.
  package var message: String

  package static func damaged(_ message: String) -> StorageFailure {
    StorageFailure(kind: .damaged, message: message)
  }

  package var description: String { message }

  /// Whether the same work may succeed at the next try, without anybody doing anything.
  package var isTransient: Bool {
    [.aborted, .busy, .crowded, .interrupted, .unreachable].contains(kind)
  }

  /// The error for clients; nil for internal failures.
  ///
  /// The codes of PostgreSQL and PostgREST. The same call can succeed later.
  package var refusal: (code: String, message: String, status: Int)? {
    switch kind {
    case .full:
      ("53100", "The server has no room left, so that nothing was changed. Try again later.", 503)
    case .readOnly:
      (
        "25006",
        "The server's database can only be read now, so that nothing was changed. Try again later.",
        503
      )
    case .crowded:
      ("53300", "The server's database takes no more connections. Try again later.", 503)
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
