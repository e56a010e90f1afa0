import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage

/// Every act of an operator leaves one line, and none happens without it.
@Suite struct AuditLogTests {
  @Test func `each act leaves a line with who, what and on whom, and no secret`() async throws {
    let (folder, other) = (ServedFolder(), ServedFolder())
    let file = folder.path + ".backup"
    defer { unlink(file) }
    let id = try await folder.serve { server in
      let ana = try await Person.signUp("ana", on: server)
      try await folder.administer { accounts in
        _ = try await accounts.disable("ana")
        _ = try await accounts.enable("ana@example.org")
        _ = try await accounts.resetPassword(of: "@ana", to: "a secret horse")
        _ = try? await accounts.disable("nobody")
      }
      return ana.wireID
    }
    // Without a server: this very process would be sent the signal to read the secret again.
    _ = try SecretRotation.rotate(folder: folder.path)
    _ = try ServerBackup.make(of: folder.path, to: file)
    try await folder.administer { _ = try await $0.delete("ana") }
    let log = AuditLog(folder: folder.path)
    let entries = try log.entries()
    #expect(
      entries.map(\.act) == [.disable, .enable, .resetPassword, .rotateSecret, .backup, .delete])
    #expect(entries.map(\.account) == [id, id, id, nil, nil, id])
    #expect(entries.map(\.file) == [nil, nil, nil, nil, file, nil])
    let name = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) }
    #expect(Set(entries.map(\.user)) == [name ?? String(getuid())])
    #expect(entries.map(\.time) == entries.map(\.time).sorted())
    #expect(try folder.permissions(of: folder.path + "/audit.log") == 0o600)
    let text = try String(contentsOfFile: folder.path + "/audit.log", encoding: .utf8)
    for secret in ["secret horse", "ana@example.org", "\"ana\""] {
      #expect(!text.contains(secret), "\(secret)")
    }

    _ = try ServerBackup.restore(file, into: other.path)
    #expect(try AuditLog(folder: other.path).entries().map(\.act) == [.restore])
  }

  @Test func `an act that cannot be written down is not done`() async throws {
    let folder = ServedFolder()
    try await folder.serve { server in
      _ = try await Person.signUp("ana", on: server)
      try FileManager.default.createDirectory(
        atPath: folder.path + "/audit.log", withIntermediateDirectories: false)
      try await folder.administer { accounts in
        await #expect(throws: AuditLog.Failure.self) { try await accounts.disable("ana") }
        await #expect(throws: AuditLog.Failure.self) { try await accounts.delete("ana") }
        let account = try await accounts.account("ana")
        #expect(!account.isDisabled)
      }
      let keys = try Data(contentsOf: URL(filePath: folder.path + "/server.json"))
      #expect(throws: AuditLog.Failure.self) { try SecretRotation.rotate(folder: folder.path) }
      #expect(try Data(contentsOf: URL(filePath: folder.path + "/server.json")) == keys)
      let file = folder.path + ".backup"
      #expect(throws: AuditLog.Failure.self) {
        try ServerBackup.make(of: folder.path, to: file)
      }
      #expect(!FileManager.default.fileExists(atPath: file))
    }
  }

  @Test func `the log is bounded, and keeps the latest`() throws {
    let folder = ServedFolder()
    let log = AuditLog(folder: folder.path, size: 1000)
    for number in 0..<200 { try log.append(.disable, account: "\(number)") }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(files.count == AuditLog.kept + 1)
    for file in files {
      let path = folder.path + "/" + file
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
      #expect((1...1000).contains(size ?? 0))
      #expect(try folder.permissions(of: path) == 0o600)
    }
    let kept = try log.entries().compactMap { $0.account.flatMap { Int($0) } }
    #expect(kept.count > 10)
    #expect(kept == Array((200 - kept.count)..<200))
  }

  @Test func `a command waits while another one writes`() async throws {
    let folder = ServedFolder()
    let log = AuditLog(folder: folder.path)
    try log.append(.enable, account: "first")
    // As the other command does.
    let lock = open(folder.path, O_RDONLY | O_DIRECTORY)
    defer { close(lock) }
    #expect(flock(lock, LOCK_EX) == 0)
    let second = Task {
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Void, any Error>) in
        DispatchQueue.global().async {
          continuation.resume(with: Result { try log.append(.disable, account: "second") })
        }
      }
    }
    try await eventually("a command that waits") {
      try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n")
        .contains { $0.contains("-> FLOCK") && $0.contains(" \(getpid()) ") }
    }
    #expect(try log.entries().map(\.account) == ["first"])
    #expect(flock(lock, LOCK_UN) == 0)
    try await second.value
    #expect(try log.entries().map(\.account) == ["first", "second"])
  }

  @Test func `lines of many commands at once are all there and whole`() async throws {
    let folder = ServedFolder()
    let log = AuditLog(folder: folder.path)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for number in 0..<40 {
        tasks.addTask { try log.append(.enable, account: "\(number)") }
      }
      try await tasks.waitForAll()
    }
    #expect(Set(try log.entries().compactMap(\.account)) == Set((0..<40).map(String.init)))
  }
}
