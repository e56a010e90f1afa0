import Foundation
import Testing

@testable import RallyDomain

struct ConfigurationServiceTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "rally-configuration-\(UUID())")

  private var file: String { folder.appending(path: "config.toml").path }

  private func load(
    _ bytes: Data
  ) throws -> (configuration: Configuration, problems: [ConfigurationProblem]) {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try bytes.write(to: URL(filePath: file))
    let loaded = ConfigurationService(file: file).load()
    #expect(FileManager.default.contents(atPath: file) == bytes, "the file is the person's")
    return loaded
  }

  private func load(
    _ text: String
  ) throws -> (configuration: Configuration, problems: [ConfigurationProblem]) {
    try load(Data(text.utf8))
  }

  @Test func `without a file everything has its default and nothing is made`() {
    let loaded = ConfigurationService(file: file).load()
    #expect(loaded.configuration == Configuration())
    #expect(loaded.problems.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  @Test func `everything that exists can be set`() throws {
    let loaded = try load(
      """
      [policy]
      low_power = "on"
      thermal = "serious"
      low_data = "off"
      expensive = "auto"
      network = true

      [server]
      url = "https://rally.example.org/"
      key_file = "/etc/rally/key"

      [interface]
      color = "never"

      [map]
      glyphs = "blocks"
      """)
    #expect(loaded.problems.isEmpty)
    var expected = Configuration()
    expected.policy = PolicyOverrides(
      lowPower: true, thermal: .serious, lowData: false, network: true)
    expected.serverURL = try ServerURL("https://rally.example.org")
    expected.serverKeyFile = "/etc/rally/key"
    expected.color = .never
    expected.mapGlyphs = .blocks
    #expect(loaded.configuration == expected)
  }

  @Test func `what is unknown or wrong is said with its line and the rest counts`() throws {
    let loaded = try load(
      """
      colour = "never"
      # thermal = "none"
      [policy]
      low_power = "maybe"
      thermal = "serious"
      lowdata = "on"

      [server]
      url = "ftp://rally.example.org"

      [interface]
      color = 3

      [theme]
      name = "dark"
      """)
    #expect(loaded.problems.map(\.line) == [1, 4, 6, 9, 12, 14])
    #expect(
      loaded.problems.map(\.sentence) == [
        "Unknown key colour. The sections are policy, server, interface and map.",
        "Set low-power to auto, on or off instead of “maybe”.",
        "Unknown key lowdata in [policy]. Use low_power, thermal, low_data, expensive or network.",
        "Write an address like https://rally.example.org.",
        "Set color to \"auto\", \"always\" or \"never\".",
        "Unknown section theme. The sections are policy, server, interface and map.",
      ])
    #expect(
      loaded.problems[1].description.hasSuffix("config.toml:4: \(loaded.problems[1].sentence)"))
    #expect(loaded.configuration.policy == PolicyOverrides(thermal: .serious))
    #expect(loaded.configuration.serverURL == nil)
    #expect(loaded.configuration.color == .auto)
  }

  @Test func `the map's glyphs are one of four`() throws {
    #expect(try load("map.glyphs = \"ascii\"").configuration.mapGlyphs == .ascii)
    let wrong = try load("[map]\nglyphs = \"dots\"\nzoom = 3")
    #expect(
      wrong.problems.map(\.sentence) == [
        "Set glyphs to \"auto\", \"braille\", \"blocks\" or \"ascii\".",
        "Unknown key zoom in [map]. Use glyphs.",
      ])
    #expect(wrong.configuration.mapGlyphs == .auto)
  }

  @Test func `other ways to write a table have lines too`() throws {
    #expect(try load("\npolicy.thermal = \"warm\"").problems.map(\.line) == [2])
    #expect(try load("\n\npolicy = { thermal = \"warm\" }").problems.map(\.line) == [3])
    #expect(try load("[ policy ]\n\"thermal\" = \"warm\"").problems.map(\.line) == [2])
  }

  @Test func `a file that is no TOML is said with its line and changes nothing`() throws {
    let loaded = try load("[policy]\nthermal = serious\n")
    #expect(loaded.configuration == Configuration())
    #expect(loaded.problems.map(\.line) == [2])
    #expect(loaded.problems.first?.sentence.hasPrefix("Is not TOML:") == true)
  }

  @Test func `bytes that are no text, and a folder in place of the file, are said`() throws {
    #expect(try load(Data([0xFF, 0xFE, 0x00])).problems.count == 1)
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let loaded = ConfigurationService(file: file).load()
    #expect(loaded.problems.count == 1)
    #expect(loaded.configuration == Configuration())
  }

  @Test func `a problem never carries what could act on a terminal`() throws {
    let loaded = try load("[policy]\nthermal = \"\\u001B[31mhot\"\n\"\\u001B[2J\" = 1")
    #expect(loaded.problems.count == 2)
    #expect(loaded.problems.allSatisfy { !$0.description.contains("\u{1B}") })
  }

  @Test func `the key is read from its file, beside the configuration or from the home folder`()
    throws
  {
    #expect(
      try load("[server]\nkey_file = \"key\"").configuration.serverKeyFile
        == folder.appending(path: "key").path)
    #expect(
      try load("[server]\nkey_file = \"~/key\"").configuration.serverKeyFile
        == NSHomeDirectory() + "/key")

    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let service = ConfigurationService(file: file)
    var configuration = Configuration()
    #expect(try service.serverKey(of: configuration) == nil)
    configuration.serverKeyFile = folder.appending(path: "key").path
    #expect(throws: ConfigurationProblem.self) { try service.serverKey(of: configuration) }
    try Data("  the-key\n".utf8).write(to: folder.appending(path: "key"))
    #expect(try service.serverKey(of: configuration) == "the-key")
  }
}
