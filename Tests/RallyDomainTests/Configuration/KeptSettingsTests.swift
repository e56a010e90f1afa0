import Foundation
import RallyTestSupport
import Testing

@testable import RallyDomain
@testable import RallySystem

/// `settings.toml`, which is Rally's own, below the person's `config.toml`.
struct KeptSettingsTests {
  private let folder: TemporaryFolder
  private let service: ConfigurationService

  init() throws {
    folder = try TemporaryFolder()
    service = ConfigurationService(file: folder.file("rally/config.toml"))
  }

  private var settingsFile: String { folder.file("rally/settings.toml") }

  private var text: String? { try? String(contentsOfFile: settingsFile, encoding: .utf8) }

  private func write(_ text: String, to name: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder.file("rally"), withIntermediateDirectories: true)
    try text.write(toFile: folder.file("rally/\(name)"), atomically: true, encoding: .utf8)
  }

  @discardableResult
  private func keep(_ name: String, _ value: String?) throws -> ConfigurationLoadResult {
    try service.keep([KeptSetting(.named(name), value: value)])
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func `a kept setting counts, in a private file of its own that is made`() throws {
    let reading = try keep("interface.theme", "\"light\"")
    #expect(reading.configuration.theme == .light)
    #expect(service.load() == reading)
    #expect(try mode(settingsFile) == 0o600)
    #expect(try mode(folder.file("rally")) == 0o700)
    #expect(!FileManager.default.fileExists(atPath: service.file))
    try keep("interface.mouse", "\"on\"")
    try keep("map.glyphs", "\"ascii\"")
    try keep("interface.theme", nil)
    let later = service.load().configuration
    #expect((later.theme, later.mouse, later.mapGlyphs) == (.auto, .on, .ascii))
  }

  @Test func `config.toml wins, stays as it is, and its overrides are named`() throws {
    let own = "# mine\n[interface]\ntheme = \"dark\"\n"
    try write(own, to: "config.toml")
    try keep("interface.mouse", "\"off\"")
    let reading = try keep("interface.theme", "\"light\"")
    #expect(reading.configuration.theme == .dark)
    #expect(reading.configuration.mouse == .off)
    #expect(
      reading.overrides.map(\.description) == [
        "\(service.file):3:1: interface.theme is set here, and wins over \(settingsFile)."
      ])
    #expect(try String(contentsOfFile: service.file, encoding: .utf8) == own)
    // A folder that others may read stays one.
    #expect(try mode(folder.file("rally")) != 0o700)
  }

  @Test func `problems of settings.toml have its lines, and what this Rally does not know stays`()
    throws
  {
    try write(
      "# by hand\n[interface]\ntheme = \"light\" # bright\nfuture = 3\n[keys]\nundo = \"U\"\n",
      to: "settings.toml")
    #expect(
      service.load().problems.map(\.description) == [
        "\(settingsFile):4:1: Unknown key future in [interface]. "
          + "Use color, theme, mouse, plain, title, motion, emoji or ambiguous_width.",
        "\(settingsFile):5:2: Keys are yours to bind. Move this to config.toml.",
      ])
    #expect(service.load().configuration.theme == .light)
    try keep("interface.mouse", "\"on\"")
    try keep("interface.theme", "\"dark\"")
    #expect(
      text
        == "# by hand\n[interface]\nmouse = \"on\"\ntheme = \"dark\"\nfuture = 3\n[keys]\nundo = \"U\"\n"
    )
  }

  @Test(arguments: [
    "[interface]\ntheme = \"\"\"\nlight\"\"\"\n",
    "interface = { theme = \"light\", mouse = \"on\" }\n",
    "[hooks]\non_request = [\n\"a\",\n\"b\"]\n", "interface.mouse = \"on\"\n", "[interface\n",
    "\u{0}",
  ])
  func `a file that was edited out of shape is never made worse`(_ text: String) throws {
    try write(text, to: "settings.toml")
    let former = service.load()
    for (name, value) in [
      ("interface.theme", "\"dark\""), ("interface.theme", nil), ("hooks.on_request", "[\"c\"]"),
    ] {
      do {
        let reading = try keep(name, value)
        #expect(reading.isBroken == false)
        let setting = try ConfigurationSetting.named(name)
        #expect(
          setting.value(in: reading.configuration) == value ?? setting.defaultValue)
      } catch let problem as ConfigurationProblem {
        #expect(problem.file == settingsFile)
        #expect(self.text == text)
        #expect(service.load() == former)
      }
      try write(text, to: "settings.toml")
    }
  }

  @Test func `a broken file of either kind leaves what the other one says`() throws {
    try keep("interface.theme", "\"light\"")
    try write("[map]\nglyphs = oops", to: "config.toml")
    #expect(service.load().isBroken)
    #expect(service.load().configuration.theme == .light)
    try write("[map]\nglyphs = \"ascii\"", to: "config.toml")
    try write("oops", to: "settings.toml")
    #expect(service.load().isBroken)
    #expect(service.load().configuration.mapGlyphs == .ascii)
  }

  @Test func `a configuration that was named counts alone`() throws {
    try write("", to: "config.toml")
    try keep("interface.theme", "\"light\"")
    let named = ConfigurationService(file: service.file, isNamed: true)
    #expect(named.load().configuration == Configuration())
    #expect(throws: ConfigurationProblem.self) {
      try named.keep([KeptSetting(.named("interface.theme"), value: "\"dark\"")])
    }
  }

  @Test func `a file that cannot be written is an error, and nothing changes`() throws {
    try FileManager.default.createDirectory(
      atPath: settingsFile, withIntermediateDirectories: true)
    #expect(throws: FileError.self) { try keep("interface.theme", "\"dark\"") }
  }

  @Test(arguments: [
    ("interface.theme", "dark", "\"dark\""), ("interface.theme", "\"dark\"", "\"dark\""),
    ("interface.plain", "true", "true"), ("policy.low_power", "true", "\"on\""),
    ("policy.network", "off", "\"off\""), ("location.gpsd", "", "\"\""),
    ("location.gpsd", "127.0.0.1:2947", "\"127.0.0.1:2947\""),
    ("notifications.quiet", "22:00-07:00", "\"22:00-07:00\""),
    ("notifications.mute", "[\"kenji\"]", "[\"kenji\"]"),
    ("map.source", "./here.pmtiles", "\"/d/here.pmtiles\""),
  ])
  func `a value is typed as TOML or without its quotes`(
    _ name: String, _ typed: String, _ literal: String
  ) throws {
    let setting = try ConfigurationSetting.named(name)
    let found = try setting.literal(typed: typed, in: "/d")
    #expect(found.replacing("/./", with: "/") == literal)
  }

  @Test(arguments: ConfigurationSetting.all.filter { !$0.choices.isEmpty }.map(\.name))
  func `every choice of a setting is a value`(_ name: String) throws {
    let setting = try ConfigurationSetting.named(name)
    for choice in setting.choices {
      let literal = try setting.literal(typed: choice, in: "/")
      #expect(literal == choice || literal == "\"\(choice)\"")
    }
  }

  @Test(arguments: [
    ("interface.theme", "pink"), ("interface.plain", "yes"), ("notifications.mute", "kenji"),
    ("interface.theme", "\"dark\"\n[map]"), ("server.key_file", "/nowhere/key"),
    ("server.key_file", "eyJhbGciOi.eyJyb2xlIjo.c2lnbmF0dXJl"),
    ("server.key_file", "sb_secret_abc"),
    ("server.url", "https://ana:word@rally.example.org"),
    ("map.source", "https://maps.example.org/a.pmtiles?api_key=abc"),
    ("hooks.on_request", "[\"curl\", \"-H\", \"Authorization: Bearer abc\"]"),
  ])
  func `what a setting does not take, and secrets, are refused without their text`(
    _ name: String, _ typed: String
  ) throws {
    let setting = try ConfigurationSetting.named(name)
    do {
      let literal = try setting.literal(typed: typed, in: "/")
      Issue.record("taken as \(literal)")
    } catch {
      #expect(!error.description.contains("abc"))
      #expect(!error.description.contains("eyJ"))
    }
  }

  @Test func `an unknown setting names the one that was meant`() {
    for (typed, advice) in [
      ("theme", "Did you mean interface.theme?"),
      ("interface.them", "Did you mean interface.theme?"),
      ("keys.undo", "Keys are bound in config.toml"), ("xyzzy", "rally config dump"),
    ] {
      do {
        _ = try ConfigurationSetting.named(typed)
        Issue.record("\(typed) is taken")
      } catch {
        #expect(error.description.contains(advice))
      }
    }
  }
}
