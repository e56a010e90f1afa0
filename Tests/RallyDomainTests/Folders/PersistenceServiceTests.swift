import Foundation
import Glibc
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

@Suite struct PersistenceServiceTests {
  @Test func `a value comes back as it was, from a file for its owner alone`() async throws {
    let folder = try TemporaryFolder()
    let service = PersistenceService(folder: folder.file("mine"))
    let snapshot = SocialSnapshot(
      lists: SocialLists(
        friends: [Samples.friend(1), Samples.friend(0)], incoming: [Samples.request(2)],
        outgoing: [Samples.request(3, .outgoing)]),
      profile: Samples.person(4), asOf: Samples.time)
    try await service.save(snapshot, withKey: "social/../x")
    #expect(try await service.retrieve(withKey: "social/../x") == snapshot)
    #expect(folder.permissions(of: "mine") == 0o700)
    #expect(folder.permissions(of: "mine/social----x.json") == 0o600)
    #expect(folder.contents.filter { $0.hasPrefix("mine/") } == ["mine/social----x.json"])
  }

  @Test func `what was never saved, was deleted or is damaged is nothing`() async throws {
    let folder = try TemporaryFolder()
    let service = PersistenceService(folder: folder.path)
    #expect(try await service.retrieve(Int.self, withKey: "a") == nil)
    try await service.save(1, withKey: "a")
    #expect(try await service.retrieve(String.self, withKey: "a") == nil)
    try await service.delete(withKey: "a")
    try await service.delete(withKey: "a")
    #expect(try await service.retrieve(Int.self, withKey: "a") == nil)
  }

  @Test func `everything of a person is deleted but one value, and nothing of anybody else`()
    async throws
  {
    let folder = try TemporaryFolder()
    let service = PersistenceService(folder: folder.file("mine"), notices: StorageNotices())
    let (ana, ben) = (UUID(), UUID())
    // A folder that was never made has nothing.
    try await service.deleteAll(of: ana)
    for id in [ana, ben] {
      for key in ["list", "ghost"] { try await service.save(1, withKey: "\(key)-\(id.wireText)") }
    }
    try await service.save(1, withKey: "damaged-\(ana.wireText)")
    #expect(try await service.retrieve(String.self, withKey: "damaged-\(ana.wireText)") == nil)
    // when
    try await service.deleteAll(of: ana, exceptKey: "ghost-\(ana.wireText)")
    // then
    let left = ["ghost-\(ana.wireText)", "ghost-\(ben.wireText)", "list-\(ben.wireText)"]
    #expect(
      Set(folder.contents.filter { $0.hasPrefix("mine/") }) == Set(left.map { "mine/\($0).json" }))
  }

  @Test func `a file that cannot be deleted is told, and keeps no other`() async throws {
    let folder = try TemporaryFolder()
    let service = PersistenceService(folder: folder.path)
    let id = UUID().wireText
    try await service.save(1, withKey: "list-\(id)")
    // A folder in a file's place cannot be unlinked, by root neither.
    for name in ["a", "z"] {
      try FileManager.default.createDirectory(
        atPath: folder.file("\(name)-\(id).json"), withIntermediateDirectories: false)
    }
    await #expect(throws: FileError.self) {
      try await service.deleteAll(of: try #require(UUID(wireText: id)))
    }
    #expect(!folder.contents.contains("list-\(id).json"))
  }

  @Test func `the last of many saves is what is kept`() async throws {
    let folder = try TemporaryFolder()
    let service = PersistenceService(folder: folder.path)
    for number in 0..<50 { try await service.save(number, withKey: "n") }
    #expect(try await service.retrieve(withKey: "n") == 49)
  }

  @Test func `once it is closed nothing makes its folder again`() async throws {
    let folder = try TemporaryFolder()
    let service = PersistenceService(folder: folder.file("mine"))
    try await service.save(1, withKey: "a")
    // when
    let writers = (0..<20).map { number in
      Task { try await service.save(number, withKey: "n\(number)") }
    }
    await service.close()
    try FileManager.default.removeItem(atPath: folder.file("mine"))
    // then
    for writer in writers { _ = await writer.result }
    #expect(!folder.contents.contains("mine"))
    await #expect(throws: PersistenceError.notConfigured) {
      try await service.update(0, withKey: "a") { $0 += 1 }
    }
  }

  @Test func `a change waits until another process has made its own`() async throws {
    let folder = try TemporaryFolder()
    let service = PersistenceService(folder: folder.path)
    let other = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    #expect(flock(other, LOCK_EX) == 0)
    // when
    let change = Task { try await service.update([Int](), withKey: "a") { $0.append(2) } }
    let found = try FileManager.default.attributesOfItem(atPath: folder.path)
    let inode = ":\(try #require(found[.systemFileNumber] as? NSNumber)) "
    #expect(
      await eventually {
        let locks = (try? String(contentsOfFile: "/proc/locks", encoding: .utf8)) ?? ""
        return locks.split(separator: "\n").contains { $0.contains("-> ") && $0.contains(inode) }
      })
    try await PersistenceService(folder: folder.path).save([1], withKey: "a")
    close(other)
    // then
    #expect(try await change.value.value == [1, 2])
    #expect(try await service.retrieve(withKey: "a") == [1, 2])
  }

  @Test func `a service without a folder says so`() async {
    await #expect(throws: PersistenceError.notConfigured) {
      try await PersistenceService().save(1, withKey: "a")
    }
  }
}
