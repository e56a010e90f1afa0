import Foundation
import RallyTestSupport
import RallyWire
import Synchronization
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@Suite struct AccountMaintenanceServiceTests {
  /// Records that it was deleted, or cannot be.
  private final class File: AccountFile {
    private let problem: FileError?
    private let owner = Mutex<UUID?>(nil)

    init(problem: FileError? = nil) { self.problem = problem }

    var deletedFor: UUID? { owner.withLock { $0 } }

    func forget(userID: UUID) throws {
      if let problem { throw problem }
      owner.withLock { $0 = userID }
    }
  }

  @Test func `a file that cannot be deleted keeps no other, and is told in the end`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let (one, stuck, other) = (
        File(), File(problem: FileError("/here", POSIXError(.EROFS))), File()
      )
      let service = AccountMaintenanceService(
        authService: ana.authService, ghostService: ana.ghostService,
        files: [one, stuck, other])
      await #expect(throws: FileError.self) { try await service.signOut() }
      #expect(one.deletedFor == ana.userID && other.deletedFor == ana.userID)
      #expect(await ana.authService.currentUserID == nil)
    }
  }
}
