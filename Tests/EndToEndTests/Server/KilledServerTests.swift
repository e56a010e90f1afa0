import Foundation
import RallyDomain
import RallyTestSupport
import RallyText
import RallyWire
import Synchronization
import Testing

@testable import RallyClient
@testable import RallySystem

extension EndToEnd {
  @Suite struct KilledServerTests {
    /// One person who says something as fast as they are answered, and remembers what was.
    private final class Writer: Sendable {
      struct Memory {
        var next = 0
        /// What the server has acknowledged.
        var said: [String] = []
        /// What was on its way when the server died.
        var open: (text: String, id: UUID)?
      }

      let client: SupabaseClient
      let mission: UUID
      let memory = Mutex(Memory())

      init(_ client: SupabaseClient, title: String) async throws {
        self.client = client
        let centre = try #require(Coordinate(latitude: 38.7, longitude: -9.1))
        mission = try await client.call(
          CreateMission(
            title: title, centre: centre, radiusMetres: 100, startsAt: nil, endsAt: nil,
            capacity: nil, visibility: .private, objectives: nil)
        ).id
      }

      /// Writes until a call fails.
      func write(noting acknowledged: @Sendable () -> Void) async {
        while true {
          let (text, id) = memory.withLock { memory in
            memory.next += 1
            let line = ("line \(memory.next)", UUID())
            memory.open = line
            return line
          }
          do {
            _ = try await say(text, id)
          } catch {
            return
          }
          memory.withLock { memory in
            memory.said.append(text)
            memory.open = nil
          }
          acknowledged()
        }
      }

      /// Repeats what was on its way: it may have been done, and is not done twice.
      func retryOpen() async throws {
        guard let (text, id) = memory.withLock({ $0.open }) else { return }
        _ = try await say(text, id)
        memory.withLock { memory in
          memory.said.append(text)
          memory.open = nil
        }
      }

      private func say(_ text: String, _ id: UUID) async throws -> MissionActivityRecord {
        try await client.call(SayInMission(missionID: mission, text: text), clientID: id)
      }

      /// Everything that the server has, the oldest first.
      func stored() async throws -> [String] {
        var texts: [String] = []
        var before: WireTime?
        while true {
          let page = try await client.call(
            FetchMissionActivity(missionID: mission, before: before, limit: 100))
          texts += page.compactMap(\.text)
          guard let last = page.last, page.count == 100 else { return texts.reversed() }
          before = last.createdAt
        }
      }
    }

    @Test func `killed twenty times under load, it loses nothing that was acknowledged`()
      async throws
    {
      let server = try ServerProcess()
      try await server.start()
      var writers: [Writer] = []
      for name in ["ana", "bob", "cleo", "dan"] {
        writers.append(try await Writer(server.person(name), title: name))
      }
      var random = SeededGenerator(seed: 20)
      for round in 1...20 {
        let wanted = Int.random(in: 1...60, using: &random)
        let (acknowledgements, noted) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { [writers] tasks in
          for writer in writers {
            tasks.addTask { await writer.write { noted.yield() } }
          }
          var count = 0
          for await _ in acknowledgements {
            count += 1
            if count == wanted { break }
          }
          try await server.kill()
          try await tasks.waitForAll()
        }
        let check = try await server.run("check", "--json")
        #expect(check.succeeded, "round \(round): \(check)")

        try await server.start()
        for writer in writers {
          let before = Set(try await writer.stored())
          let said = writer.memory.withLock { $0.said }
          #expect(before.isSuperset(of: said), "round \(round)")
          try await writer.retryOpen()
          #expect(try await writer.stored() == writer.memory.withLock { $0.said })
        }
      }
      #expect(try await server.terminate() == .exited(0))
    }

    @Test func `a backup under load restores to something sound`() async throws {
      let server = try ServerProcess()
      try await server.start()
      let writer = try await Writer(server.person("ana"), title: "ana")
      let (acknowledgements, noted) = AsyncStream.makeStream(of: Void.self)
      let writing = Task { await writer.write { noted.yield() } }
      var count = 0
      for await _ in acknowledgements {
        count += 1
        if count == 20 { break }
      }
      let before = writer.memory.withLock { $0.said }
      let file = server.folder.file("copy.rally")
      let backup = try await server.run("backup", file, "--json")
      #expect(backup.succeeded, "\(backup)")
      #expect(try backup.json()["accounts"] == 1)
      #expect(server.folder.permissions(of: "copy.rally") == 0o600)
      let again = try await server.run("backup", file)
      #expect(again.status == .exited(1))
      #expect(again.errors.contains("--force"))
      let refused = try await server.run("restore", file, "--force")
      #expect(refused.status == .exited(1))
      try await server.kill()
      await writing.value

      let restored = try await server.run("restore", file, "--force", "--json")
      #expect(restored.succeeded, "\(restored)")
      #expect(try await server.run("check").succeeded)
      try await server.start()
      #expect(Set(try await writer.stored()).isSuperset(of: before))
    }
  }
}
