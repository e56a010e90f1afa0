import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain

@Suite struct AccountDeletionTests {
  @Test func `an account is deleted with its password alone, for everybody and for good`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      try await befriend(ana, ben)
      let service = AccountMaintenanceService(
        authService: ana.authService, ghostService: ana.ghostService, files: [])
      await #expect(throws: AuthError.invalidCredentials) {
        try await service.deleteAccount(password: "guess")
      }
      #expect(await ana.authService.currentUserID == ana.userID)
      #expect(try await ben.friendsService.fetchFriends().count == 1)
      try await service.deleteAccount(password: Samples.password)
      #expect(await ana.authService.currentUserID == nil)
      #expect(try await ben.friendsService.fetchFriends().isEmpty)
      await #expect(throws: AuthError.invalidCredentials) {
        try await ana.authService.signIn(email: "ana@example.org", password: Samples.password)
      }
      // The name is free again.
      _ = try await TestPerson(signingUp: "ana", on: server)
    }
  }

  @Test func `what the server did not delete is still there`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let service = AccountMaintenanceService(
        authService: ana.authService, ghostService: ana.ghostService, files: [])
      ana.gate.goOffline()
      await #expect(throws: AuthError.self) {
        try await service.deleteAccount(password: Samples.password)
      }
      #expect(await ana.authService.currentUserID == ana.userID)
    }
  }
}
