import Foundation
import RallyWire
import Testing

@testable import RallyDomain

@Suite struct GPXReaderTests {
  @Test func `waypoints are one mission, routes and tracks one each`() throws {
    let preview = MissionSamples.preview(MissionSamples.gpx, name: "/tmp/my.walk.gpx")
    #expect(preview.problems == [])
    #expect(
      preview.missions.map(\.title) == ["Fog run & more", "Loop", "my.walk, track 1"])
    #expect(preview.items.map(\.line) == [5, 7, 12])
    let first = try #require(preview.missions.first)
    #expect(first.brief == "Before <nine>")
    #expect(first.objectives?.map(\.title) == ["Blue door", "Point 2"])
    #expect(first.objectives?.first?.latitude == 38.712)
    #expect(first.objectives?.first?.radiusMetres == 50)
    #expect(abs(first.latitude - 38.713) < 1e-4)
    #expect(first.radiusMetres == 142)
    #expect(preview.missions[1].objectives?.map(\.title) == ["Start", "Café"])
    #expect(preview.missions[2].objectives == nil)
    #expect(abs(preview.missions[2].latitude - 38.05) < 1e-4)
  }

  @Test func `without a name the file's counts`() {
    let preview = MissionSamples.preview(
      "<gpx version='1.1'><wpt lat='1' lon='2'/></gpx>", name: "doors.gpx")
    #expect(preview.missions.map(\.title) == ["doors"])
    #expect(preview.missions.map(\.radiusMetres) == [100])
  }

  @Test(arguments: [
    ("<!DOCTYPE gpx [\n<!ENTITY a \"b\">]><gpx version=\"1.1\"/>", 1, "Document types"),
    ("<kml/>", 1, "no GPX"), ("<gpx version=\"2.0\"/>", 1, "GPX 1.1"),
    ("<gpx version=\"1.1\">\n</gpx>", 1, "no waypoint"),
    ("<gpx version=\"1.1\">\n<wpt lat=\"91\" lon=\"0\"/></gpx>", 2, "lat and lon"),
    ("<gpx version=\"1.1\">\n<rte>\n</rte></gpx>", 2, "no point"),
    ("<gpx version=\"1.1\">\n<wpt>\n</gpx>", 3, "ends nothing"),
    ("<gpx version=\"1.1\">\n<wpt>\n", 2, "before </wpt>"),
    ("<gpx a=1/>", 1, "quotation marks"), ("<gpx a=\"1\" a=\"2\"/>", 1, "twice"),
    ("<gpx version=\"1.1\">\nfish & chips</gpx>", 2, "&amp;"),
    ("<gpx version=\"1.1\">\n&nbsp;</gpx>", 2, "not known"),
    ("<gpx/>\n<gpx/>", 2, "follows the end"), ("<gpx/>\nwords", 1, "outside"),
    ("<?xml version=\"1.0\" encoding=\"latin1\"?><gpx/>", 1, "UTF-8"),
    ("<!-- no end", 1, "within a comment"),
    (String(repeating: "<a>", count: 100_000), 1, "nested"),
  ])
  func `what is wrong is told by its line`(text: String, line: Int, words: String) {
    let preview = MissionSamples.preview(text)
    #expect(preview.items.isEmpty)
    #expect(preview.problems.map(\.line) == [line], "\(preview.problems)")
    #expect(preview.problems.first?.sentence.contains(words) == true, "\(preview.problems)")
  }

  @Test func `bytes that are no text are told by their line`() {
    let bytes = Data("<gpx version=\"1.1\">\n<name>".utf8) + [0xFF, 0xFE] + Data("\n</gpx>".utf8)
    let preview = MissionFile.preview(bytes, name: "a.gpx", now: MissionSamples.now)
    #expect(preview.problems == [ImportProblem(line: 2, "This line is not UTF-8 text.")])
  }

  @Test func `more points than a mission takes are a problem at the first too many`() {
    let points = (1...51).map { "<wpt lat=\"1\" lon=\"2\"><name>P\($0)</name></wpt>" }
    let preview = MissionSamples.preview(
      "<gpx version=\"1.1\">\n\(points.joined(separator: "\n"))</gpx>")
    #expect(preview.items.isEmpty)
    #expect(preview.problems.map(\.line) == [52])
    #expect(preview.problems.first?.sentence.contains("51") == true)
  }
}
