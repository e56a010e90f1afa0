import FoundationEssentials
import RallyClient
import RallyText
import RallyWire

/// Who is online, kept up to date by Phoenix presence messages.
///
/// A user can be present several times (two terminals): each connection has its own reference, and
/// the user is offline when the last one has left.
struct PresenceState: Hashable, Sendable {
  /// Of one person, whom the server lets have fewer.
  private static let mostConnections = 256

  private var references: [UUID: Set<String>] = [:]

  var online: Set<UUID> { Set(references.keys) }

  /// Takes the full state: `{"<user id>": {"metas": [{"phx_ref": …}, …]}}`.
  mutating func replace(with state: JSONValue) { references = Self.references(of: state) }

  /// Takes a difference: `{"joins": {…}, "leaves": {…}}`.
  ///
  /// Joins count first, so that an update (the old reference leaves, the new one joins) never shows
  /// a user as offline.
  mutating func apply(_ difference: JSONValue) {
    for (id, joined) in Self.references(of: difference["joins"]) {
      // Nobody has more friends, nor a friend more connections.
      guard references[id] != nil || references.count < Pages.mostRows,
        references[id]?.count ?? 0 < Self.mostConnections
      else { continue }
      references[id, default: []].formUnion(joined)
    }
    for (id, left) in Self.references(of: difference["leaves"]) {
      references[id]?.subtract(left)
      if references[id]?.isEmpty == true { references[id] = nil }
    }
  }

  private static func references(of state: JSONValue?) -> [UUID: Set<String>] {
    var found: [UUID: Set<String>] = [:]
    for (key, entry) in state?.object ?? [:] {
      guard let id = UUID(wireText: key), let metas = entry["metas"]?.array, !metas.isEmpty
      else { continue }
      found[id] = Set(metas.map { $0["phx_ref"]?.string ?? "" })
    }
    return found
  }
}
