import Foundation
import RallyTestSupport
import Testing

@testable import RallyClient
@testable import RallySystem

@Suite struct ServerMemoryServiceTests {
  @Test func `a server that was only heard of is known by its key and chosen by nobody`()
    async throws
  {
    let folder = try TemporaryFolder()
    let folders = try RallyFolders(data: folder.path, environment: [:])
    let memory = ServerMemoryService(folders: folders)
    let url = try ServerURL("https://rally.example.org")
    try await memory.note(url, key: "k")
    #expect(try await memory.chosen() == nil)
    #expect(try await memory.key(of: url) == "k")
    #expect(await ServerMemoryService.profile(using: url, in: folders) == nil)
    try await memory.remember(.embedded)
    #expect(try await memory.chosen() == .embedded)
    // What is heard of later changes nothing of what is chosen.
    try await memory.note(try ServerURL("https://other.example.org"), key: "o")
    #expect(try await memory.chosen() == .embedded)
  }

  @Test func `the profile that used a server last is found, the present one first`() async throws {
    let folder = try TemporaryFolder()
    let folders = try RallyFolders(data: folder.path, environment: [:])
    let url = try ServerURL("https://rally.example.org")
    for name in ["work", "climbers"] {
      let other = try RallyFolders(data: folder.path, profile: name, environment: [:])
      try await ServerMemoryService(folders: other).remember(.remote(url, key: "k"))
    }
    #expect(await ServerMemoryService.profile(using: url, in: folders) == "climbers")
    try await ServerMemoryService(folders: folders).remember(.remote(url, key: "k"))
    #expect(await ServerMemoryService.profile(using: url, in: folders) == "default")
  }
}
