/// What went wrong between the rules and the database; names no value of any row.
struct StorageFailure: Error, Hashable, Sendable, CustomStringConvertible {
  enum Kind: Hashable, Sendable {
    /// A row is not what only this program could have written.
    case damaged
    /// A row that others refer to is missing, or there is one like it already.
    case constraint
    /// There is no room left on the disk.
    case full
    /// The transaction ended before it was complete.
    case aborted
    /// Others kept it from being done, for longer than anybody wants to wait.
    case busy
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
}
