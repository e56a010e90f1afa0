import Foundation
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

struct ConfigurationServiceTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "rally-configuration-\(UUID())")

  private var file: String { folder.appending(path: "config.toml").path }

  private func load(
    _ bytes: Data
  ) throws -> ConfigurationLoadResult {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try bytes.write(to: URL(filePath: file))
    let loaded = ConfigurationService(file: file).load()
    #expect(FileManager.default.contents(atPath: file) == bytes, "the file is the person's")
    return loaded
  }

  private func load(
    _ text: String
  ) throws -> ConfigurationLoadResult {
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
      mouse = "off"
      plain = true

      [map]
      glyphs = "blocks"

      [keys]
      refresh = "F5"
      tab.next = ["g t", "]"]
      "undo" = "none"
      """)
    #expect(loaded.problems.isEmpty)
    var expected = Configuration()
    expected.policy = PolicyOverrides(
      lowPower: true, thermal: .serious, lowData: false, network: true)
    expected.serverURL = try ServerURL("https://rally.example.org")
    expected.serverKeyFile = "/etc/rally/key"
    expected.color = .never
    expected.mouse = .off
    expected.isPlain = true
    expected.mapGlyphs = .blocks
    func place(_ line: Int, _ column: Int) -> SourcePosition {
      SourcePosition(line: line, column: column)
    }
    expected.keys = [
      KeyBinding(
        action: "refresh", keys: [.init("F5", place: place(21, 1))], place: place(21, 1)),
      KeyBinding(
        action: "tab.next",
        keys: [.init("g t", place: place(22, 13)), .init("]", place: place(22, 20))],
        place: place(22, 5)),
      KeyBinding(action: "undo", keys: [], place: place(23, 1)),
    ]
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
        "Unknown key colour. Did you mean color in [interface]?",
        "Set low-power to auto, on or off instead of “maybe”.",
        "Unknown key lowdata in [policy]. Did you mean low_data?",
        "Write an address like https://rally.example.org.",
        "Set color to \"auto\", \"always\" or \"never\".",
        "Unknown section theme. The sections are hooks, interface, location, map, notifications, policy, "
          + "server and keys.",
      ])
    #expect(
      loaded.problems[1].description.hasSuffix("config.toml:4:1: \(loaded.problems[1].sentence)"))
    #expect(loaded.configuration.policy == PolicyOverrides(thermal: .serious))
    #expect(loaded.configuration.serverURL == nil)
    #expect(loaded.configuration.color == .auto)
  }

  @Test func `the map's glyphs are one of five`() throws {
    #expect(try load("map.style = \"plain\"").configuration.mapStyle == .plain)
    #expect(try load("map.glyphs = \"ascii\"").configuration.mapGlyphs == .ascii)
    let wrong = try load("[map]\nglyphs = \"dots\"\nzoom = 3")
    #expect(
      wrong.problems.map(\.sentence) == [
        "Set glyphs to \"auto\", \"braille\", \"sextants\", \"blocks\" or \"ascii\".",
        "Unknown key zoom in [map]. Use glyphs, style or source.",
      ])
    #expect(wrong.problems.map { $0.place?.description } == ["2:1", "3:1"])
    #expect(wrong.configuration.mapGlyphs == .auto)
  }

  @Test func `notifications are set, and what cannot be is said`() throws {
    let good = try load(
      """
      [notifications]
      way = "osc777"
      messages = "bell"
      missions = "off"
      quiet = "22:00-7:00"
      mute = ["@Kenji", "kenji", "rui"]
      """)
    #expect(good.problems.isEmpty)
    let settings = good.configuration.notifications
    #expect(settings.way == .osc777)
    #expect(settings.requests == .message)
    #expect(settings.messages == .bell)
    #expect(settings.missions == .off)
    #expect(settings.quiet?.description == "22:00-07:00")
    #expect(settings.muted.map(\.value) == ["kenji", "rui"])

    let bad = try load(
      """
      [notifications]
      requests = "loud"
      quiet = "22:00-22:00"
      mute = ["no body"]
      """)
    #expect(
      bad.problems.map(\.sentence) == [
        "Set requests to \"off\", \"bell\" or \"message\".",
        "Set quiet to two different times of 24 hours, like \"22:00-07:00\".",
        "“no body” is no username. Use letters, digits, _ or . without spaces.",
      ])
    #expect(bad.configuration == Configuration())
    #expect(
      try load("[notifications]\nmute = \"kenji\"\nquiet = 22\n").problems.map(\.line) == [2, 3])
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

  @Test func `only a file that cannot be understood at all is broken`() throws {
    #expect(try load("[policy").isBroken)
    #expect(try load(Data([0xFF])).isBroken)
    #expect(try !load("[policies]\nthermal = \"none\"").isBroken)
    #expect(!ConfigurationService(file: file).load().isBroken)
  }

  @Test func `keys are texts, or a list of them`() throws {
    let loaded = try load(
      """
      [keys]
      undo = 3
      redo = ["u", 4]
      quit = ["none", "q"]
      help = []
      """)
    #expect(loaded.configuration.keys.map(\.action) == ["help"])
    #expect(loaded.problems.map(\.line) == [2, 3, 4])
    #expect(loaded.problems[0].sentence.contains("\"none\""))
    #expect(loaded.problems[1].sentence.hasPrefix("Write a list of keys in quotes"))
    #expect(try load("keys = \"vim\"").problems.map(\.line) == [1])
  }

  @Test func `a file is made once and never written over`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let service = ConfigurationService(file: file)
    #expect(try service.createIfMissing("one"))
    #expect(try !service.createIfMissing("two"))
    #expect(FileManager.default.contents(atPath: file) == Data("one".utf8))
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
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
