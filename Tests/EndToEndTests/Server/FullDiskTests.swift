import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallySystem

extension EndToEnd {
  @Suite struct FullDiskTests {
    /// Ways to leave a server without room, and to give it room again.
    private enum Disk {
      /// A small disk of its own that only the server's process sees, filled through `/proc`.
      case small(mount: TemporaryFolder)
      /// A limit on how far its files may grow.
      case quota

      func fill(_ process: pid_t) async throws {
        switch self {
        case .small(let mount):
          let file = open("/proc/\(process)/root\(mount.path)/filler", O_WRONLY | O_CREAT, 0o600)
          guard file >= 0 else { throw ProcessFailure("no filler: errno \(errno)") }
          defer { close(file) }
          for size in [1 << 16, 1 << 12, 1] {
            let bytes = [UInt8](repeating: 1, count: size)
            while write(file, bytes, size) == size {}
          }
        case .quota: try await limit(process, to: "65536:")
        }
      }

      func free(_ process: pid_t) async throws {
        switch self {
        case .small(let mount): unlink("/proc/\(process)/root\(mount.path)/filler")
        case .quota: try await limit(process, to: "unlimited:")
        }
      }

      private func limit(_ process: pid_t, to bytes: String) async throws {
        let run = try await CommandRun.of(
          "prlimit", ["--pid", String(process), "--fsize=\(bytes)"],
          environment: ProcessInfo.processInfo.environment)
        guard run.succeeded else { throw ProcessFailure(run.description) }
      }
    }

    /// The server on a disk of 16 MB, where this machine lets us mount one.
    private func serverOnSmallDisk() async throws -> (ServerProcess, Disk)? {
      let mount = try TemporaryFolder()
      let script = "mount -t tmpfs -o size=16m,mode=700 tmpfs '\(mount.path)' && exec \"$@\""
      let isAllowed = try? await CommandRun.of(
        "unshare", ["-m", "sh", "-c", script, "sh", "true"], environment: mount.environment)
      guard isAllowed?.succeeded == true else { return nil }
      let server = try ServerProcess(
        data: mount.file("data"), wrapper: ["unshare", "-m", "sh", "-c", script, "sh"])
      try await server.start()
      return (server, .small(mount: mount))
    }

    @Test func `without room writes are refused in words and reads go on, until there is`()
      async throws
    {
      if let (server, disk) = try await serverOnSmallDisk() {
        try await play(on: server, disk, code: "53100")
      }
      let server = try ServerProcess()
      try await server.start()
      try await play(on: server, .quota, code: "58030")
    }

    private func play(on server: ServerProcess, _ disk: Disk, code: String) async throws {
      let client = try await server.person("ana")
      let centre = try #require(Coordinate(latitude: 38.7, longitude: -9.1))
      let mission = try await client.call(
        CreateMission(
          title: "Tiles", centre: centre, radiusMetres: 100, startsAt: nil, endsAt: nil,
          capacity: nil, visibility: .private, objectives: nil))
      var said = 0
      func say() async throws {
        let text = String(repeating: "x", count: 490) + " \(said + 1)"
        _ = try await client.call(SayInMission(missionID: mission.id, text: text))
        said += 1
      }
      try await say()
      try await disk.fill(server.processID)

      // What the log of the database still has room for is taken.
      var refusal: FunctionFailure?
      for _ in 0..<5000 where refusal == nil {
        do {
          try await say()
        } catch NetworkError.refused(let failure, let status) {
          #expect(status == 503)
          refusal = failure
        }
      }
      #expect(refusal?.code == code)
      #expect(refusal?.message.contains("nothing was changed") == true)
      await #expect(throws: AuthError.self) { _ = try await server.person("late") }
      // Reading needs no room.
      for _ in 0..<3 {
        #expect(try await client.call(FetchMission(missionID: mission.id)).title == "Tiles")
      }

      try await disk.free(server.processID)
      try await say()
      var lines: [MissionActivityRecord] = []
      repeat {
        lines += try await client.call(
          FetchMissionActivity(
            missionID: mission.id, before: lines.last?.createdAt, limit: 100))
      } while lines.last?.kind != .created
      #expect(lines.count { $0.kind == .said } == said)
      #expect(try await server.terminate() == .exited(0))
    }
  }
}
