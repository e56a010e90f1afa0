import RallyMap

/// The invented people of the pictures.
enum DemoPeople {
  static let all = [
    MapMarker(
      id: "you", point: GeoPoint(latitude: 38.72, longitude: -9.14), glyph: "@", label: "you",
      rank: 100, tag: 1, isClusterable: false),
    MapMarker(
      id: "ana", point: GeoPoint(latitude: 48.85, longitude: 2.35), label: "ana", rank: 5, tag: 2,
      course: 45),
    MapMarker(
      id: "rui", point: GeoPoint(latitude: 38.78, longitude: -9.19), label: "rui", rank: 4, tag: 2,
      accuracyMetres: 10_000),
    MapMarker(
      id: "kenji", point: GeoPoint(latitude: 35.68, longitude: 139.7), label: "田中 健司", rank: 4,
      tag: 2),
    MapMarker(
      id: "lu", point: GeoPoint(latitude: -34.6, longitude: -58.4), label: "lu", rank: 4, tag: 2),
    MapMarker(
      id: "max", point: GeoPoint(latitude: 40.7, longitude: -74), glyph: "○", label: "max",
      rank: 3, tag: 3),
    MapMarker(
      id: "zoe", point: GeoPoint(latitude: -33.9, longitude: 151.2), glyph: "◌", label: "zoe",
      rank: 2, tag: 4),
    MapMarker(
      id: "pawel", point: GeoPoint(latitude: 52.2, longitude: 21), label: "pawel", rank: 3,
      tag: 2),
    MapMarker(
      id: "ola", point: GeoPoint(latitude: 52.25, longitude: 21.1), label: "ola", rank: 2, tag: 2),
    MapMarker(
      id: "ewa", point: GeoPoint(latitude: 50.06, longitude: 19.9), label: "ewa", rank: 2, tag: 2,
      trail: [
        GeoPoint(latitude: 49.6, longitude: 20.7), GeoPoint(latitude: 49.8, longitude: 19.0),
      ]),
  ]

  /// Two cells for what East Asia writes, one for everything else.
  static func width(_ character: Character) -> Int {
    character.unicodeScalars.contains { (0x2e80..<0xff00).contains($0.value) } ? 2 : 1
  }

  /// The same people in letters that every terminal has.
  static var ascii: [MapMarker] {
    all.map { marker in
      var marker = marker
      marker.glyph = ["●": "*", "○": "o", "◌": "."][marker.glyph] ?? marker.glyph
      if marker.id == "kenji" { marker.label = "kenji" }
      return marker
    }
  }
}
