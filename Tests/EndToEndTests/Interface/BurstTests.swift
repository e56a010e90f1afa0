import Foundation
import RallyTestSupport
import Testing

extension EndToEnd {
  @Suite struct BurstTests {
    /// Only the real program shows this: in a test's own process every key is pressed inside of a task.
    @Test func `keys of one burst see each other's effects`() async throws {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let session = try await home.open()
      try await session.waitForTabs(of: "ana")
      session.send("2c")
      try await session.waitFor("New mission", "Objectives")
      // Adds an objective, names it, adds another one, and names that.
      session.send("\u{0E}Red lantern\u{0E}Stone cat")
      try await session.waitFor("1       Red lantern", "2       Stone cat")
    }
  }
}
