import RallyWire

/// The key of a change of `locations`: the owner, and the precision at which it changed.
package struct LocationKey: Hashable, Sendable {
  package let owner: String
  /// nil for a change of access, whose audience names the readers.
  package let mode: SharingMode?

  var text: String { mode.map { "\(owner) \($0.rawValue)" } ?? owner }
}

extension LocationKey {
  package init(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1)
    owner = parts.first.map(String.init) ?? ""
    mode = parts.count > 1 ? SharingMode(rawValue: String(parts[1])) : nil
  }
}
