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
    for person in people.sorted(by: { $0.id < $1.id }) {
      guard let id = candidates(for: person).first(where: { !taken.contains($0) }) else { continue }
      taken.insert(id)
      ids[person.id] = id
    }
    return ids
  }

  /// The initials, then other letters of the name, then whatever is left.
  private static func candidates(for person: ProfileRecord) -> some Sequence<String> {
    let named = words(in: person.displayName)
    let words = named.isEmpty ? words(in: person.username) : named
    let letters = words.joined()
    let initials = words.count > 1 ? words[1].prefix(1) : []
    let own = letters.prefix(1).lazy.flatMap { first in
      (initials + letters.dropFirst() + alphabet).lazy.map { "\(first)\($0)" }
    }
    let any = alphabet.lazy.flatMap { first in alphabet.lazy.map { "\(first)\($0)" } }
    return [AnySequence(own), AnySequence(any)].lazy.joined()
  }

  /// The words of a name as letters of the alphabet; none in a script without case.
  private static func words(in name: String) -> [[Character]] {
    let plain =
      name.utf8.allSatisfy { $0 < 0x80 }
      ? name : name.folding(options: [.diacriticInsensitive, .widthInsensitive], locale: nil)
    return plain.uppercased().split { !isInAlphabet($0) }.map(Array.init)
  }

  private static func isInAlphabet(_ letter: Character) -> Bool {
    letter.isASCII && (letter.isUppercase || letter.isNumber)
  }
}
