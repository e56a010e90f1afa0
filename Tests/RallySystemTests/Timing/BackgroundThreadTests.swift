import Foundation
import Testing

@testable import RallySystem

/// Threads for calls that block.
struct BackgroundThreadTests {
  @Test func `the body runs once on a thread of the given name`() async throws {
    let (names, name) = AsyncStream.makeStream(of: String.self)
    BackgroundThread.start("rally.test.with-a-long-name") {
      let comm = FileManager.default.contents(atPath: "/proc/thread-self/comm") ?? Data()
      name.yield(String(decoding: comm, as: UTF8.self))
      name.finish()
    }
    var found: [String] = []
    for await name in names { found.append(name) }
    #expect(found == ["rally.test.with\n"])
  }
}
