import Foundation
import RallyTestSupport
import Synchronization
import Testing

@testable import RallyClient
@testable import RallySystem

@Suite struct TokenStoreTests {
  @Test func `a session comes back as it was, from a file for its owner alone`() throws {
    let folder = try TemporaryFolder()
    let store = TokenStore(folder: folder.file("mine"), server: "https://rally.example.org")
    try store.save(Samples.session())
    #expect(store.load() == Samples.session())
    let name = try #require(folder.contents.first { $0.hasSuffix(".json") })
    #expect(folder.permissions(of: name) == 0o600)
    #expect(folder.permissions(of: "mine/sessions") == 0o700)
  }

  @Test func `sessions of two servers are kept apart`() throws {
    let folder = try TemporaryFolder()
    let one = TokenStore(folder: folder.path, server: "https://a.example")
    let other = TokenStore(folder: folder.path, server: "https://a-example")
    try one.save(Samples.session())
    #expect(other.load() == nil)
    #expect(one.path != other.path)
  }

  @Test func `a session that cannot be read or is damaged is told, a missing one is not`() throws {
    let folder = try TemporaryFolder()
    let notices = StorageNotices()
    let heard = Mutex<[String]>([])
    var told: [String] { heard.withLock(\.self) }
    notices.listen { sentence in heard.withLock { $0.append(sentence) } }
    let store = TokenStore(folder: folder.path, server: "embedded", notices: notices)
    #expect(store.load() == nil)
    #expect(told.isEmpty)
    try store.save(Samples.session())
    try Data("{".utf8).write(to: URL(fileURLWithPath: store.path))
    #expect(store.load() == nil)
    #expect(told == ["\(store.path) is damaged. It kept your session: you have to sign in again."])
    // Root may read every file, but no folder is one.
    try store.erase()
    try FileManager.default.createDirectory(atPath: store.path, withIntermediateDirectories: true)
    #expect(store.load() == nil)
    #expect(told.last?.hasPrefix("\(store.path) cannot be used (is a directory).") == true)
  }

  @Test func `an erased or damaged session is none`() throws {
    let folder = try TemporaryFolder()
    let store = TokenStore(folder: folder.path, server: "embedded")
    try store.save(Samples.session())
    try Data("{".utf8).write(to: URL(fileURLWithPath: store.path))
    #expect(store.load() == nil)
    try store.erase()
    try store.erase()
    #expect(store.load() == nil)
  }
}
