import Foundation
import RallySystem
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain

struct ConfigurationTextTests {
  private let keys: [ConfigurationText.KeyLine] = [
    .init(action: "tab.next", summary: "Go to the tab on the right.", keys: ["g t", "]"]),
    .init(action: "undo", summary: "Undo.", keys: ["u"]),
    .init(action: "map.odd", summary: "Odd.", keys: ["\"", "\\"]),
    .init(action: "messages", summary: "Show what was said.", keys: []),
  ]

  private func read(_ text: String) throws -> ConfigurationLoadResult {
    let folder = try TemporaryFolder()
    let file = folder.file("config.toml")
    try Data(text.utf8).write(to: URL(filePath: file))
    return ConfigurationService(file: file).load()
  }

  @Test func `the sample changes nothing as it stands`() throws {
    let reading = try read(ConfigurationText.sample(keys: keys))
    #expect(reading.problems.isEmpty)
    #expect(reading.configuration == Configuration())
  }

  @Test func `the sample with every comment taken away sets every default`() throws {
    let sample = ConfigurationText.sample(keys: keys)
    let settings = sample.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.hasPrefix("#") && !line.hasPrefix("# ") ? line.dropFirst() : line
    }
    let reading = try read(settings.joined(separator: "\n"))
    #expect(reading.problems.isEmpty)
    var configuration = reading.configuration
    #expect(
      configuration.keys.map { "\($0.action): \($0.keys.map(\.text))" } == [
        "tab.next: [\"g t\", \"]\"]", "undo: [\"u\"]", "map.odd: [\"\\\"\", \"\\\\\"]",
        "messages: []",
      ])
    configuration.keys = []
    #expect(configuration == Configuration())
    let lines = Set(settings)
    for setting in ConfigurationSetting.all {
      #expect(lines.contains("\(setting.key) = \(setting.defaultValue)"))
    }
    #expect(sample.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test func `what counts reads as it was`() throws {
    var configuration = Configuration()
    configuration.color = .never
    configuration.mouse = .on
    configuration.isPlain = true
    configuration.mapGlyphs = .ascii
    configuration.hasTitle = false
    configuration.hooks[.arrival] = ["/usr/bin/env", "a \"b\"", ""]
    configuration.notifications.way = .osc777
    configuration.notifications.requests = .bell
    configuration.notifications.messages = .off
    configuration.notifications.quiet = QuietHours("22:00-7:05")
    configuration.notifications.muted = [try Username("kenji"), try Username("rui.a")]
    configuration.policy = PolicyOverrides(
      lowPower: true, thermal: .fair, lowData: false, expensive: true, network: false)
    configuration.serverURL = try ServerURL("https://rally.example.org:8443/path")
    configuration.serverKeyFile = "/etc/\"odd\"\\ name\n/key"
    let reading = try read(ConfigurationText.dump(configuration, keys: []))
    #expect(reading.problems.isEmpty)
    #expect(reading.configuration == configuration)
  }

  @Test func `a setting is named once in its table`() {
    let names = ConfigurationSetting.all.map { "\($0.section).\($0.key)" }
    #expect(Set(names).count == names.count)
    #expect(ConfigurationSetting.all.allSatisfy { $0.summary.hasSuffix(".") })
    for section in ConfigurationSetting.sections {
      #expect(!ConfigurationSetting.summary(ofSection: section).isEmpty, "\(section)")
    }
  }

  @Test(arguments: [
    ("lowpower", "low_power"), ("Themal", "thermal"), ("gylphs", nil), ("netwrk", "network"),
    ("x", nil), ("", nil),
  ])
  func `what was meant is found when it is near`(written: String, meant: String?) {
    #expect(
      NameSuggestion.of(written, among: ["low_power", "thermal", "network", "glyph-set"]) == meant)
  }
}
