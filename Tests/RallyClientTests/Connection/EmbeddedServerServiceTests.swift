import Foundation
import RallyServer
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyRules
@testable import RallyStorage
@testable import RallySystem

@Suite struct EmbeddedServerServiceTests {
  private let folder: TemporaryFolder
  private let folders: RallyFolders

  init() throws {
    folder = try TemporaryFolder()
    folders = try RallyFolders(data: folder.file("data"), environment: folder.environment)
  }

  /// A program that notes how it was started, in place of the real one.
  private func program(_ script: String) throws -> String {
    let path = folder.file("program")
    try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: path))
    chmod(path, 0o700)
    return path
  }

  /// - Parameter isHeld: Whether somebody else holds the folder's lock, so that the data is elsewhere.
  private func serve(at path: String, isHeld: Bool = false) async throws -> TestServer {
    try await TestServer.start {
      $0.listeners = [.unixSocket(path: path)]
      if !isHeld { $0.database = .folder(folders.data) }
    }
  }

  @Test func `a socket that a logout removed with its folder is made again`() async throws {
    let service = EmbeddedServerService(
      folders: folders, executable: try program("touch \(folder.file("started"))"))
    let server = try await serve(at: service.socketPath)
    let before = try await service.prepare()
    try FileManager.default.removeItem(atPath: folder.file("run"))
    try FileManager.default.createDirectory(
      atPath: folder.file("run"), withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    #expect(await service.running() == nil)
    #expect(try await service.prepare() == before)
    #expect(await service.running()?.pid == getpid())
    try await server.stop()
    #expect(!FileManager.default.fileExists(atPath: service.socketPath))
  }

  @Test func `a server whose folder was removed ends, and is not used for the new one`()
    async throws
  {
    let service = EmbeddedServerService(
      folders: folders, executable: try program("touch \(folder.file("started"))"))
    let old = try await serve(at: service.socketPath)
    _ = try await service.prepare()
    try FileManager.default.removeItem(atPath: folders.data)
    let address = Task { try await service.prepare() }
    #expect(
      await eventually { FileManager.default.fileExists(atPath: folder.file("started")) })
    try await old.ended()
    let new = try await serve(at: service.socketPath)
    #expect(try await address.value.key == new.key)
    #expect(new.key != old.key)
    try await new.stop()
  }

  @Test func `a server that answers is used as it is`() async throws {
    let service = EmbeddedServerService(
      folders: folders, executable: try program("touch \(folder.file("started"))"))
    #expect(await service.running() == nil)
    let server = try await serve(at: service.socketPath)
    let address = try await service.prepare()
    #expect(
      address == ServerAddress(endpoint: .unixSocket(path: service.socketPath), key: server.key))
    #expect(await service.running()?.pid == getpid())
    #expect(!folder.contents.contains("started"))
    try await server.stop()
  }

  @Test func `a server that does not run is started in a session of its own`() async throws {
    // given: a program that tells its arguments, its session and its open files
    let started = folder.file("started")
    let service = EmbeddedServerService(
      folders: folders,
      executable: try program(
        """
        echo "$@" > \(started).part
        cut -d' ' -f6 /proc/$$/stat >> \(started).part
        echo $$ >> \(started).part
        mv \(started).part \(started)
        """))
    // when
    let address = Task { try await service.prepare() }
    #expect(await eventually { FileManager.default.fileExists(atPath: started) })
    let server = try await serve(at: service.socketPath)
    // then
    #expect(try await address.value.key == server.key)
    let lines = try String(contentsOfFile: started, encoding: .utf8).split(separator: "\n")
    #expect(
      lines.first
        == "serve --embedded --data \(folders.data) --socket \(service.socketPath)")
    #expect(lines[1] == lines[2], "the process leads its own session")
    #expect(folder.permissions(of: "data/server.log") == 0o600)
    #expect(folder.permissions(of: "data") == 0o700)
    #expect(folder.permissions(of: "run/rally") == 0o700)
    try await server.stop()
  }

  @Test func `data that a server on an address holds is named with it`() async throws {
    let service = EmbeddedServerService(folders: folders, executable: try program("exit 1"))
    try PrivateFiles.makeFolder(folders.data)
    let lock = try DataFolderLock(folder: folders.data)
    lock.describe(.init(pid: getpid(), url: "http://127.0.0.1:4000"))
    let failure = EmbeddedServerError.servedElsewhere(url: "http://127.0.0.1:4000")
    await #expect(throws: failure) { try await service.prepare() }
    #expect(failure.sentence.contains("http://127.0.0.1:4000"))
    lock.release()
  }

  @Test func `a program that cannot be started is said to be one`() async throws {
    let service = EmbeddedServerService(
      folders: folders, executable: folder.file("missing"))
    await #expect(
      throws: EmbeddedServerError.notStarted("\(folder.file("missing")) is not a program")
    ) { try await service.prepare() }
  }

  @Test func `a server that ends whenever it is started is given up with its error`() async throws {
    let service = EmbeddedServerService(
      folders: folders,
      executable: try program(
        """
        echo x >> \(folder.file("starts"))
        echo "rally: The database is damaged.
        Restore it." >&2
        exit 1
        """))
    let failure = EmbeddedServerError.ended(
      words: "The database is damaged. Restore it.", log: service.logPath)
    await #expect(throws: failure) { try await service.prepare() }
    #expect(try String(contentsOfFile: folder.file("starts"), encoding: .utf8).count == 4 * 2)
  }

  @Test func `while another server holds the data a new one is started again`() async throws {
    let service = EmbeddedServerService(
      folders: folders, executable: try program("echo x >> \(folder.file("starts")); exit 1"))
    try PrivateFiles.makeFolder(folders.data)
    // Held, and not said by whom, as while a database is migrated.
    let lock = try DataFolderLock(folder: folders.data)
    let address = Task { try await service.prepare() }
    #expect(
      await eventually {
        (try? String(contentsOfFile: folder.file("starts"), encoding: .utf8).count) ?? 0 > 5 * 2
      })
    let server = try await serve(at: service.socketPath, isHeld: true)
    #expect(try await address.value.key == server.key)
    try await server.stop()
    lock.release()
  }

  @Test func `the socket's path has room however long the folder's is`() throws {
    let deep = String(repeating: "/a-long-folder-name", count: 20)
    let folders = try RallyFolders(data: folder.path + deep, environment: ["HOME": "/root"])
    let path = EmbeddedServerService(folders: folders, executable: "/bin/true").socketPath
    #expect(path.utf8.count < 100)
    #expect(path.hasPrefix("/tmp/rally-"))
  }

  @Test func `a folder that is a link is not trusted`() async throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("run/rally"), withDestinationPath: folder.file("home"))
    let service = EmbeddedServerService(folders: folders, executable: try program("exit 1"))
    await #expect(throws: EmbeddedServerError.unsafeFolder(folder.file("run/rally"))) {
      try await service.prepare()
    }
  }
}
