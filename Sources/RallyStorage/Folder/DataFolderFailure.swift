/// Why a data folder cannot be used, as a sentence for the operator.
public enum DataFolderFailure: Error, Hashable, Sendable, CustomStringConvertible {
  case cannotUse(path: String, reason: String)
  /// The folder has no server's files.
  case noServer(path: String)
  case unreadableKeys(path: String, reason: String)
  case damagedKeys(path: String)
  case missingKeys(path: String)

  public var description: String {
    switch self {
    case .cannotUse(let path, let reason): "\(path) cannot be used: \(reason)."
    case .noServer(let path): "No server has its files in \(path)."
    case .unreadableKeys(let path, let reason):
      "The keys in \(path) cannot be read: \(reason). Let the user of the server read the file, or"
        + " restore it."
    case .damagedKeys(let path):
      "The keys in \(path) are damaged; restore the file or move it away."
    case .missingKeys(let path):
      "There are no keys in \(path); restore the file, or start the server, which makes new ones."
    }
  }
}
