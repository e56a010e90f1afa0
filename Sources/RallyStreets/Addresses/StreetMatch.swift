import RallyMap

/// A street or place whose name matches a search text.
public struct StreetMatch: Hashable, Sendable {
  public var name: String
  public var kind: GroundLabelKind
  /// The town or quarter that it is in; nil where none is known, and for towns.
  public var place: String?
  /// The middle of the street's longest run, or the place's point.
  public var point: GeoPoint
  /// Metres from the point that the search asked for to the nearest part of it.
  public var distance: Double
}

/// How well a name matches a search text, best first.
private enum NameMatch: Comparable {
  /// The text is the name.
  case whole
  case beginning
  /// The text begins at a word of the name.
  case word
  /// Every word of the text begins some word of the name.
  case words

  /// Nil if the name does not match.
  ///
  /// - Parameters:
  ///   - name: Folded, as `TextFolding.foldedInAnyScript` does.
  ///   - text: Folded in the same way; not empty.
  init?(of name: String, with text: String) {
    if name == text {
      self = .whole
    } else if name.hasPrefix(text) {
      self = .beginning
    } else {
      let words = name.split(separator: " ")
      guard text.split(separator: " ").allSatisfy({ part in words.contains { $0.hasPrefix(part) } })
      else { return nil }
      self = name.contains(" " + text) ? .word : .words
    }
  }
}

extension Collection where Element == GroundTile {
  /// Streets and places of the given tiles whose names match a text, ignoring case, accents and
  /// punctuation.
  ///
  /// Best matches come first, and among equal ones the nearest. Equal names within one town are one
  /// street, however many parts the tiles have of it. An empty text matches nothing.
  ///
  /// - Parameters:
  ///   - point: Where the search is made from.
  ///   - limit: The most results.
  public func streets(
    matching text: String, near point: GeoPoint, limit: Int = 20
  ) -> [StreetMatch] {
    let wanted = TextFolding.foldedInAnyScript(text)
    guard !wanted.isEmpty, limit > 0 else { return [] }
    let places = GroundPlaces(of: self)
    var found: [MatchKey: [MatchCollector]] = [:]
    for tile in self {
      let quality = tile.names.map { name in
        NameMatch(of: TextFolding.foldedInAnyScript(name), with: wanted)
      }
      let position = TilePosition(of: point, in: tile)
      for label in tile.labels {
        guard let match = quality[Int(label.name)] else { continue }
        let name = tile.names[Int(label.name)]
        let middle = tile.middle(of: label)
        let isTown = label.kind <= .village
        let place = isTown ? nil : places.place(near: middle.point)
        let part = StreetMatch(
          name: name, kind: label.kind, place: place?.name == name ? nil : place?.name,
          point: middle.point, distance: position.distance(to: label))
        let town = place.flatMap { $0.isTown ? $0.name : nil }
        found[MatchKey(name: name, town: town, isTown: isTown), default: []]
          .add(part, length: middle.length, match: match, isBound: town != nil)
      }
    }
    let ranked = found.values.joined().sorted {
      ($0.match, $0.merged.distance, $0.merged.name)
        < ($1.match, $1.merged.distance, $1.merged.name)
    }
    return ranked.prefix(limit).map(\.merged)
  }
}

private struct MatchKey: Hashable {
  var name: String
  var town: String?
  var isTown: Bool
}

/// The parts of one street, or the points that several tiles have for one place.
private struct MatchCollector {
  let match: NameMatch
  private(set) var merged: StreetMatch
  /// Of the longest run.
  private var length: Double

  init(_ part: StreetMatch, length: Double, match: NameMatch) {
    (merged, self.length, self.match) = (part, length, match)
  }

  mutating func add(_ part: StreetMatch, length: Double) {
    if length > self.length {
      (merged.point, merged.place, self.length) = (part.point, part.place, length)
    }
    merged.distance = min(merged.distance, part.distance)
    merged.kind = min(merged.kind, part.kind)
  }
}

extension [MatchCollector] {
  /// Adds a part to the street or place that it belongs to.
  ///
  /// - Parameter isBound: Whether all parts lie in one town. Where that is not known, parts belong
  ///   together that are less than 5 km apart.
  fileprivate mutating func add(
    _ part: StreetMatch, length: Double, match: NameMatch, isBound: Bool
  ) {
    let index = firstIndex { isBound || $0.merged.point.distance(to: part.point) < 5_000 }
    if let index {
      self[index].add(part, length: length)
    } else {
      append(MatchCollector(part, length: length, match: match))
    }
  }
}
