import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  @Suite struct KeysVerbTests {
    @Test func `the keys that count are printed, with those of the configuration`() async throws {
      let home = try Home()
      let standard = try await home.must("keys")
      #expect(standard.output.contains(/r +refresh +Fetch again/))
      let file = home.folder.file("keys.toml")
      try "[keys]\nrefresh = [\"F5\", \"R\"]\nundo = \"none\"\nodd = \"x\"\n".write(
        toFile: file, atomically: true, encoding: .utf8)

      let changed = try await home.must("keys", "--config", file)
      #expect(changed.output.contains(/F5, R +refresh +Fetch again/))
      #expect(changed.errors.contains("keys.toml:4:1: There is no action “odd”."))
      let json = try await home.must("keys", "--json", "--config", file).json()
      let rows = try #require(json.array)
      let refresh = rows.first { $0["id"] == "refresh" }
      #expect(refresh?["keys"] == ["F5", "R"])
      #expect(refresh?["defaults"] == ["r"])
      #expect(rows.first { $0["id"] == "undo" }?["keys"] == [])
      #expect(
        try await home.must("keys", "--markdown", "--config", file).output.contains("`F5` `R`"))
      #expect(try await home.must("keys", "--man", "--config", file).output.contains("F5, R"))

      let defaults = try await home.must("keys", "--defaults", "--config", file)
      #expect(defaults.output == standard.output)
    }
  }
}
