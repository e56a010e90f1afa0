import Foundation
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

@Suite struct GeoJSONReaderTests {
  @Test func `every feature becomes a mission with all that its properties say`() throws {
    let preview = MissionSamples.preview(MissionSamples.geoJSON)
    #expect(preview.problems == [])
    #expect(preview.items.map(\.line) == [4, 22])
    let first = try #require(preview.missions.first)
    #expect(first.title == "Lanterns of Alfama")
    #expect(first.brief == "Find the four doors.")
    #expect(first.latitude == 38.712)
    #expect(first.longitude == -9.13)
    #expect(first.radiusMetres == 400)
    #expect(first.startsAt == WireTime("2026-05-01T18:00:00Z"))
    #expect(first.endsAt == WireTime("2026-05-01T19:00:00Z"))
    #expect(first.capacity == 6)
    #expect(first.visibility == .friends)
    let place = Coordinate(latitude: 38.7125, longitude: -9.1311)
    #expect(
      first.objectives == [
        ObjectiveInput(title: "Say hello"),
        ObjectiveInput(title: "Blue door", place: place, radiusMetres: 50),
        ObjectiveInput(title: "Cats", count: 9),
      ])
  }

  @Test func `an area becomes the circle around it`() throws {
    let mission = try #require(MissionSamples.preview(MissionSamples.geoJSON).missions.last)
    #expect(mission.title == "Trees")
    #expect(abs(mission.latitude - 38.71) < 0.001)
    #expect(abs(mission.longitude + 9.14) < 0.001)
    // Half of the diagonal of 2.2 km by 1.7 km.
    #expect((1400...1450).contains(mission.radiusMetres))
    #expect(mission.objectives == nil)
    #expect(mission.startsAt == nil)
  }

  @Test func `a single feature is enough, and a point without a radius has 100 m`() throws {
    let preview = MissionSamples.preview(
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[179.9,-1]},"#
        + #""properties":{"title":"Edge"}}"#)
    #expect(preview.missions.map(\.radiusMetres) == [100])
    #expect(preview.missions.map(\.longitude) == [179.9])
  }

  @Test(arguments: [
    (
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[0,0]},"#
        + "\n\"properties\":{}}", 1, "title"
    ),
    ("\n\n{\"type\":\"Feature\",\n\"geometry\":null,\"properties\":{\"title\":\"A\"}}", 3, "place"),
    (feature(#""title":"A","radius_m":5"#), 3, "10 m to 100 km"),
    (feature(#""title":"A","radius_m":"5""#), 3, "number"),
    (feature(#""title":"A","capacity":1.5"#), 3, "whole"),
    (feature(#""title":"A","capacity":0"#), 3, "1 to 1000"),
    (feature(#""title":"A","starts_at":"tomorrow""#), 3, "time such as"),
    (feature(#""title":"A","starts_at":"2027-02-29T18:00:00Z""#), 3, "time such as"),
    (feature("\"title\":\"A\",\n\"ends_at\":\"2026-04-30T00:00:00Z\""), 4, "past"),
    (
      feature(#""title":"A","starts_at":"2026-06-02T00:00:00Z","ends_at":"2026-06-01T00:00:00Z""#),
      3, "before it starts"
    ),
    (feature(#""title":"A","visibility":"public""#), 3, "private, invited or friends"),
    (feature(#""title":"A","objectives":[{"count":2}]"#), 3, "what there is to do"),
    (feature("\"title\":\"A\",\"objectives\":[\n\n{\"title\":\"B\",\"count\":0}]"), 5, "10,000"),
    (
      feature("\"title\":\"A\",\"objectives\":[{\"title\":\"B\",\n\"coordinates\":[0,91]}]"), 4,
      "Earth"
    ),
    (feature(#""title":"A","objectives":7"#), 3, "list"),
    (#"{"type":"Point","coordinates":[0,0]}"#, 1, "bare Point"),
    (#"{"type":"Topology"}"#, 1, "no GeoJSON"),
    (
      "{\"type\":\"FeatureCollection\",\"features\":[\n{\"type\":\"Point\"}]}", 2,
      "Feature is expected"
    ),
    ("{\n\"type\": \"Feature\",\n}", 3, "name in quotation marks"),
    ("{\"a\": \"b\n\"}", 1, "over the end of its line"),
    ("[1,\n2", 2, "comma"),
    ("{\"a\":01}", 1, "comma"),
    ("{} {}", 1, "follows the end"),
    ("", 1, "empty"), ("\n \n", 1, "empty"),
    (String(repeating: "[", count: 100_000), 1, "nested"),
  ])
  func `what is wrong is told by its line`(text: String, line: Int, words: String) {
    let preview = MissionSamples.preview(text)
    #expect(preview.items.isEmpty)
    #expect(preview.problems.map(\.line) == [line], "\(preview.problems)")
    #expect(preview.problems.first?.sentence.contains(words) == true, "\(preview.problems)")
  }

  private static func feature(_ properties: String) -> String {
    "{\"type\":\"Feature\",\n\"geometry\":{\"type\":\"Point\",\"coordinates\":[0,0]},\n"
      + "\"properties\":{\(properties)}}"
  }

  @Test func `a wrong mission keeps no other one out`() {
    let text = MissionSamples.geoJSON.replacing("\"capacity\": 6", with: "\"capacity\": 6000")
    let preview = MissionSamples.preview(text)
    #expect(preview.missions.map(\.title) == ["Trees"])
    #expect(preview.problems.map(\.line) == [13])
    #expect(preview.sentence == "1 mission, 1 problem.")
  }

  @Test func `a file brings at most a thousand missions`() {
    let one =
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[0,0]},"properties":{"name":"A"}}"#
    let all = Array(repeating: one, count: 1002).joined(separator: ",\n")
    let preview = MissionSamples.preview(
      "{\"type\":\"FeatureCollection\",\"features\":[\n\(all)]}")
    #expect(preview.items.count == 1000)
    #expect(preview.problems.map(\.line) == [1002])
    // Copies are missions of their own.
    #expect(Set(preview.items.map(\.clientID)).count == 1000)
  }

  @Test func `a file of more than 5 MB is not read`() {
    let preview = MissionFile.preview(
      Data(repeating: 0x20, count: ImportLimits.bytes + 1), name: "", now: MissionSamples.now)
    #expect(preview.problems == [ImportProblem(line: 1, "The file is larger than 5 MB.")])
  }

  @Test func `escapes, surrogates and a byte order mark are read`() {
    let text =
      "\u{FEFF}{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1e1,-2.5E0]},"
      + #""properties":{"title":"Caf\u00e9 \ud83e\udd8a \"b\"\/"}}"#
    let preview = MissionSamples.preview(text)
    #expect(preview.missions.map(\.title) == ["Café 🦊 \"b\"/"])
    #expect(preview.missions.map(\.longitude) == [10])
    let half = text.replacing(#"\udd8a"#, with: "")
    #expect(
      MissionSamples.preview(half).problems.first
        == ImportProblem(line: 1, "This escape is half a character."))
  }

  /// JavaScript writes half an emoji wherever a text was cut by its length.
  @Test(arguments: [
    #""note":"cut \ud83e""#, #""note":"\ud83e\ud83e\u0041""#, #""note":"\udd8a""#, #""far":-1e400"#,
    #""\ud83e":1"#, #""deep":{"far":[1e999,"\udfff"]}"#,
  ])
  func `a value that no text or number can hold is a problem only where it is read`(
    property: String
  ) {
    let preview = MissionSamples.preview(Self.feature("\"title\":\"A\",\n" + property))
    #expect(preview.problems == [])
    #expect(preview.missions.map(\.title) == ["A"])
  }

  @Test(arguments: [
    (#""brief":"cut \ud83e""#, "half a character"), (#""radius_m":1e400"#, "too large"),
    (#""capacity":1e400"#, "too large"), (#""objectives":["\ud83e"]"#, "half a character"),
    (#""objectives":[{"title":"B","coordinates":[1e400,0]}]"#, "too large"),
  ])
  func `a value of no use that is read keeps its mission out, and no other`(
    property: String, words: String
  ) {
    let all = [property, #""live":false"#].map { Self.feature("\"title\":\"A\"," + $0) }
    let preview = MissionSamples.preview(
      "{\"type\":\"FeatureCollection\",\"features\":[\(all.joined(separator: ",\n"))]}")
    #expect(preview.missions.count == 1)
    #expect(preview.problems.map(\.line) == [3])
    #expect(preview.problems.first?.sentence.contains(words) == true, "\(preview.problems)")
  }

  @Test func `text that would act on a terminal is cleaned`() {
    let preview = MissionSamples.preview(
      Self.feature(#""title":"A\u001b[2J\u202eB","objectives":["x\u0007"]"#))
    #expect(preview.missions.map(\.title) == ["A[2JB"])
    #expect(preview.missions.first?.objectives?.map(\.title) == ["x"])
  }

  @Test func `the same content has the same id, another content another one`() {
    let ids = { (text: String) in MissionSamples.preview(text).items.map(\.clientID) }
    #expect(ids(MissionSamples.geoJSON) == ids(MissionSamples.geoJSON))
    // Its place in the file does not count.
    #expect(ids(MissionSamples.geoJSON) == ids("\n\n" + MissionSamples.geoJSON))
    let other = ids(MissionSamples.geoJSON.replacing("Cats", with: "Dogs"))
    #expect(other.first != ids(MissionSamples.geoJSON).first)
    #expect(other.last == ids(MissionSamples.geoJSON).last)
  }
}
