import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

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
    ("<gpx/>\n<gpx/>", 2, "follows the end"), ("<gpx/>\nwords", 2, "follows the end"),
    ("<?xml version=\"1.0\" encoding=\"SHIFT_JIS\"?>\n<gpx/>", 1, "SHIFT_JIS is not read"),
    ("<?xml version=\"1.0\" encoding=\"UTF-16\"?>\n<gpx/>", 1, "encoding that it declares"),
    ("<gpx>\n<o:name/></gpx>", 2, "prefix"),
    ("\n\n<?xml version=\"1.0\"?>\n<gpx a=1/>", 4, "quotation marks"),
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
    #expect(
      preview.problems == [
        ImportProblem(
          line: 2,
          "This line is not text in the encoding of the file, which is UTF-8 unless declared.")
      ])
  }

  /// Files of surveys and of geocaching programs have both.
  @Test(arguments: [
    #"<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1" xmlns:o="urn:o">"#
      + #"<o:wpt lat="1" lon="1"/><o:metadata><o:name>Sheet</o:name></o:metadata>"#
      + #"<metadata><o:name>Sheet 12</o:name><name>Lantern<o:b>s</o:b> walk</name></metadata>"#
      + #"<wpt o:lat="99" lat="38.7" lon="-9.1"><o:name>12</o:name><name>Lamp</name></wpt></gpx>"#,
    #"<gpx version="1.0" xmlns:o="urn:o" xmlns:lat="urn:p"><name>Lantern walk</name>"#
      + #"<o:name>Sheet</o:name><wpt lat="38.7" lat:lat="0" lon="-9.1"><name>Lamp</name></wpt>"#
      + "</gpx>",
    #"<g:gpx xmlns:g="http://www.topografix.com/GPX/1/1" version="1.1" xmlns="urn:o" "#
      + #"xmlns:schemaLocation="urn:s" schemaLocation:schemaLocation="x">"#
      + #"<name>Sheet</name><g:name>Lantern walk</g:name>"#
      + #"<g:wpt lat="38.7" lon="-9.1"><name>12</name><g:name>Lamp</g:name></g:wpt></g:gpx>"#,
  ])
  func `names of another namespace say nothing`(text: String) {
    let preview = MissionSamples.preview(text)
    #expect(preview.problems == [])
    #expect(preview.missions.map(\.title) == ["Lantern walk"])
    #expect(preview.missions.first?.objectives?.map(\.title) == ["Lamp"])
    #expect(preview.missions.first?.objectives?.map(\.latitude) == [38.7])
  }

  @Test(arguments: [
    ("UTF-8", String.Encoding.utf8, "Café 東"), ("UTF-16", .utf16, "Café 🏮"),
    ("UTF-16", .utf16LittleEndian, "Café 🏮"), ("ISO-8859-1", .isoLatin1, "Café"),
    ("latin1", .isoLatin1, "Café"), ("windows-1252", .windowsCP1252, "Café €"),
    ("WINDOWS-1251", .windowsCP1251, "Кафе"), ("ISO-8859-2", .isoLatin2, "Łódź"),
  ])
  func `a file is read in the encoding that it declares`(
    name: String, encoding: String.Encoding, title: String
  ) throws {
    let text = """
      <?xml version="1.0" encoding="\(name)"?>
      <gpx version="1.1"><name>\(title)</name>
      <wpt lat="1" lon="2"/></gpx>
      """
    let preview = MissionFile.preview(
      try #require(text.data(using: encoding)), name: "a.gpx", now: MissionSamples.now)
    #expect(preview.problems == [])
    #expect(preview.missions.map(\.title) == [title])
    #expect(preview.items.map(\.line) == [3])
  }

  @Test func `a byte that the declared encoding does not have is told by its line`() {
    let bytes =
      Data("<?xml version=\"1.0\" encoding=\"windows-1252\"?>\n<gpx version=\"1.1\">\n<name>".utf8)
      + [0x81] + Data("</name></gpx>".utf8)
    let preview = MissionFile.preview(bytes, name: "a.gpx", now: MissionSamples.now)
    #expect(preview.problems.map(\.line) == [3])
  }

  /// expat reads what is unfinished from its start again where a file comes in pieces.
  @Test func `a long value, many elements and deep ones take no longer than others`() {
    let long = "<gpx version=\"1.1\" creator=\"\(String(repeating: "a", count: 4_000_000))\"/>"
    let many = "<gpx version=\"1.1\">" + String(repeating: "<o a=''/>", count: 500_000) + "</gpx>"
    for text in [long, many, String(repeating: "<a>", count: 1_500_000)] {
      let preview = CPUTimeLimit.check(String(text.prefix(60))) { MissionSamples.preview(text) }
      #expect(preview.problems.count == 1)
    }
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
