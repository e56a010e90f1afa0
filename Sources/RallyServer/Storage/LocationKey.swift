import RallyWire

/// The key of a change of `locations`: whose position, and which of its readers saw it change.
struct LocationKey: Hashable, Sendable {
  let owner: String
  /// nil for a change of access, which names its readers.
  let mode: SharingMode?

  init(owner: String, mode: SharingMode?) {
    self.owner = owner
    self.mode = mode
  }

  init(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1)
    owner = parts.first.map(String.init) ?? ""
    mode = parts.count > 1 ? SharingMode(rawValue: String(parts[1])) : nil
  }

  var text: String { mode.map { "\(owner) \($0.rawValue)" } ?? owner }
}
