import Foundation
import RallyTestSupport
import Testing

@testable import RallyClient
@testable import RallySystem

@Suite struct RallyFoldersTests {
  @Test func `folders follow XDG, with the defaults where nothing is set`() throws {
    let folders = try RallyFolders(environment: [
      "HOME": "/home/ana", "XDG_STATE_HOME": "/var/ana", "XDG_CACHE_HOME": "relative",
      "XDG_RUNTIME_DIR": "/run/user/1000",
    ])
    #expect(folders.config == "/home/ana/.config/rally")
    #expect(folders.data == "/home/ana/.local/share/rally")
    #expect(folders.state == "/var/ana/rally")
    #expect(folders.cache == "/home/ana/.cache/rally")
    #expect(folders.runtime == "/run/user/1000/rally")
    #expect(folders.profileState == "/var/ana/rally/profiles/default")
  }

  @Test func `a new profile is named after what is special about its server`() throws {
    let folder = try TemporaryFolder()
    let folders = try RallyFolders(data: folder.path, environment: [:])
    func name(_ address: String) throws -> String {
      folders.newProfile(forHost: try ServerURL(address).host)
    }
    #expect(try name("https://rally.climbers.example.org") == "climbers")
    #expect(try name("https://climbers.example.org:8443/rally") == "climbers")
    #expect(try name("https://rally.org") == "rally")
    #expect(try name("http://localhost:8787") == "localhost")
    #expect(try name("http://192.168.1.5") == "192.168.1.5")
    #expect(try name("http://[::1]:8787") == "--1")
    try FileManager.default.createDirectory(
      atPath: "\(folders.state)/profiles/climbers", withIntermediateDirectories: true)
    #expect(try name("https://climbers.example.org") == "climbers-2")
  }

  @Test func `data moves everything but the sockets`() throws {
    let folders = try RallyFolders(
      data: "/srv/r/../rally/", profile: "work",
      environment: ["HOME": "/home/ana", "XDG_CONFIG_HOME": "/etc/ana"])
    #expect(folders.data == "/srv/rally")
    #expect(folders.configFile == "/srv/rally/config/config.toml")
    #expect(folders.profileState == "/srv/rally/state/profiles/work")
    #expect(folders.profileCache == "/srv/rally/cache/profiles/work")
    #expect(folders.runtime == "/tmp/rally-\(getuid())")
  }

  @Test(arguments: ["", "..", ".hidden", "a/b", "a b", "ä", String(repeating: "x", count: 33)])
  func `a profile that cannot be a folder's name is refused`(name: String) {
    #expect(throws: InvalidProfileName.self) { try RallyFolders(profile: name) }
  }
}
