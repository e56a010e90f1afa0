import Foundation
import RallyWire

/// The two characters by which OwnTracks tells people apart, unique among those of one reader.
enum TrackerIDs {
  static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")

  /// The same for the same people, whatever their order.
  ///
  /// - Parameter people: At most 1,296; the others get none.
  static func assigned(to people: [ProfileRecord]) -> [UUID: String] {
    var taken: Set<String> = []
    var ids: [UUID: String] = [:]
    for person in people.sorted(by: { $0.id.wireText < $1.id.wireText }) {
      guard let id = candidates(for: person).first(where: { !taken.contains($0) }) else { continue }
      taken.insert(id)
      ids[person.id] = id
    }
    return ids
  }

  /// The initials, then other letters of the name, then whatever is left.
  private static func candidates(for person: ProfileRecord) -> some Sequence<String> {
    let words = [words(in: person.displayName), words(in: person.username)].first { !$0.isEmpty }
    let letters = words?.joined().map(\.self) ?? []
    let first = letters.first.map { [$0] } ?? []
    let initials = words.flatMap { $0.count > 1 ? $0[1].first : nil }
    let seconds = [initials].compactMap(\.self) + letters.dropFirst() + alphabet
    let own = first.flatMap { first in seconds.map { "\(first)\($0)" } }
    let any = alphabet.lazy.flatMap { first in alphabet.lazy.map { "\(first)\($0)" } }
    return [AnySequence(own), AnySequence(any)].lazy.joined()
  }

  /// The words of a name as letters of the alphabet; none in a script without case.
  private static func words(in name: String) -> [[Character]] {
    let plain = name.folding(options: [.diacriticInsensitive, .widthInsensitive], locale: nil)
    return plain.uppercased().split { !alphabet.contains($0) }.map(Array.init)
  }
}
