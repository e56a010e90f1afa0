import Foundation
import Glibc
import RallyTestSupport
import Testing

@testable import RallySystem

struct FolderWatchTests {
  private let folder: TemporaryFolder
  private let folderWatch = FolderWatch(inotify: inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)))

  init() throws { folder = try TemporaryFolder() }

  private func save(_ name: String) throws {
    try Data(name.utf8).write(to: URL(filePath: folder.file(name)))
  }

  private func subscribe(events: Int32, counting calls: Watched<Int>) -> FolderWatch.Subscription {
    folderWatch.subscribe(to: folder.path, events: UInt32(events)) { calls.change { $0 += 1 } }
  }

  /// Whether a change causes another call.
  private func isCalled(_ calls: Watched<Int>, after change: () throws -> Void) async throws -> Bool
  {
    let former = calls.value
    try change()
    return await calls.first(within: PollingBackoff.limit) { $0 > former } != nil
  }

  @Test func `who watches the same folder hears only what they asked for`() async throws {
    let (written, deleted) = (Watched(0), Watched(0))
    let subscriptions = [
      subscribe(events: IN_CLOSE_WRITE, counting: written),
      subscribe(events: IN_DELETE, counting: deleted),
    ]
    for name in ["a", "b"] { #expect(try await isCalled(written) { try save(name) }) }
    #expect(deleted.value == 0)
    #expect(
      try await isCalled(deleted) { try FileManager.default.removeItem(atPath: folder.file("a")) })
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `a subscription that ends takes no other one with it`() async throws {
    let (ended, kept) = (Watched(0), Watched(0))
    let subscription = subscribe(events: IN_CLOSE_WRITE, counting: kept)
    do {
      let other = subscribe(events: IN_CLOSE_WRITE, counting: ended)
      #expect(try await isCalled(ended) { try save("a") })
      withExtendedLifetime(other) {}
    }
    let former = ended.value
    // Whoever was called for the first file has been by the time of the second.
    for name in ["b", "c"] { #expect(try await isCalled(kept) { try save(name) }) }
    #expect(ended.value == former)
    withExtendedLifetime(subscription) {}
  }
}
