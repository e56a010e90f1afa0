import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

@Suite struct SyncTraceServiceTests {
  private func entry(_ directive: String, _ seconds: Int = 0) -> SyncTraceEntry {
    SyncTraceEntry(
      at: Samples.time.advanced(by: .seconds(seconds)), directive: directive, cause: "test")
  }

  @Test func `another process reads what was recorded last, from a private file`() async throws {
    let folder = try TemporaryFolder()
    let folders = try RallyFolders(data: folder.path, environment: [:])
    let service = SyncTraceService(folders: folders)
    #expect(try await service.entries().isEmpty)
    service.record([entry("check link")])
    service.record([entry("check link"), entry("refresh", 1)])
    await service.flush()
    let other = SyncTraceService(folders: folders)
    #expect(try await other.entries() == [entry("check link"), entry("refresh", 1)])
    let path = "\(folders.profileState)/sync-trace.json"
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func `a damaged trace is an error, not an empty one`() async throws {
    let folder = try TemporaryFolder()
    let folders = try RallyFolders(data: folder.path, environment: [:])
    let service = SyncTraceService(folders: folders)
    service.record([entry("check link")])
    await service.flush()
    let path = "\(folders.profileState)/sync-trace.json"
    try Data("[{".utf8).write(to: URL(filePath: path))
    let error = await #expect(throws: FileError.self) { try await service.entries() }
    #expect(error?.path == path)
  }

  @Test func `a folder that cannot be written costs the trace alone`() async throws {
    let folder = try TemporaryFolder()
    let folders = try RallyFolders(data: folder.path, environment: [:])
    try FileManager.default.createDirectory(
      atPath: URL(filePath: folders.profileState).deletingLastPathComponent().path,
      withIntermediateDirectories: true)
    try Data().write(to: URL(filePath: folders.profileState))
    let service = SyncTraceService(folders: folders)
    service.record([entry("check link")])
    await service.flush()
    await #expect(throws: FileError.self) { try await service.entries() }
  }
}
