import Foundation
import Testing

@testable import RallySystem

/// Paths that begin in somebody's home folder.
struct HomeFolderTests {
  @Test func `a tilde is the person's own home folder, or that of the named one`() throws {
    let home = ProcessInfo.processInfo.environment["HOME"] ?? NSHomeDirectory()
    #expect(HomeFolder.path == home)
    #expect(HomeFolder.expanding("~") == home)
    #expect(HomeFolder.expanding("~/a b/c.gpx") == "\(home)/a b/c.gpx")
    #expect(HomeFolder.expanding("~root/x") == ("~root/x" as NSString).expandingTildeInPath)
    for path in ["", "/a/~", "a~", "~nobody-of-this-name/x"] {
      #expect(HomeFolder.expanding(path) == path)
    }
  }
}
