import Foundation
import RallyEnvironment
import RallyState
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@MainActor
@Suite struct FeaturesTests {
  private func services(_ server: TestServer, in folder: TemporaryFolder) throws -> AppServices {
    AppServices(
      folders: try RallyFolders(data: folder.path, environment: [:]),
      server: .remote(try ServerURL(server.url), key: server.key),
      broadcastStudio: BroadcastStudio())
  }

  @Test func `each store of a session is in its list, once`() async throws {
    try await TestServer.with { server in
      let services = try services(server, in: TemporaryFolder())
      let stores = SharedStores(services, placeFinder: .none, userID: nil)
      // A store is told by its type's name: one that is not in the list may not conform to anything.
      let declared = Mirror(reflecting: stores).children
        .filter { String(describing: type(of: $0.value)).hasSuffix("Store") }
      #expect(declared.contains { $0.value as AnyObject === stores.social })
      for (name, store) in declared {
        let places = stores.all.filter { $0 === store as AnyObject }
        #expect(places.count == 1, "SharedStores.all and \(name ?? "")")
      }
      #expect(stores.all.count == declared.count)
    }
  }

  @Test func `each store of a session is the one that views borrow`() async throws {
    try await TestServer.with { server in
      let services = try services(server, in: TemporaryFolder())
      let stores = SharedStores(services, placeFinder: .none, userID: nil)
      for store in stores.all {
        var values = EnvironmentValues()
        store.supply(to: &values)
        #expect(!values.isUnchanged(from: EnvironmentValues()), "\(type(of: store))")
      }
      var values = EnvironmentValues()
      stores.supply(to: &values)
      #expect(values.socialStore === stores.social && values.mapStore === stores.map)
      #expect(values.locationSharingStore === stores.locationSharing)
      #expect(values.missionsStore === stores.missions && values.watchStore === stores.watch)
      #expect(values.invitationsStore === stores.invitations)
      #expect(values.alertsStore === stores.alerts && values.draftStores === stores.drafts)
    }
  }

  @Test func `signing out deletes what any feature keeps of the account, and of no other`()
    async throws
  {
    try await TestServer.with { server in
      let folder = try TemporaryFolder()
      let services = try services(server, in: folder)
      let session = try await services.authService.signUp(
        email: "ana@example.org", password: Samples.password, username: "ana")
      let (ana, ben) = (session.user.id.wireText, UUID().wireText)
      for service in [services.persistenceService, services.locationState] {
        try await service.save(["a feature to come"], withKey: "feature-\(ana)")
        try await service.save(["of somebody else"], withKey: "feature-\(ben)")
      }
      #expect(folder.contents.count { $0.contains("feature-\(ana)") } == 2)
      try await services.accountMaintenanceService.signOut()
      #expect(!folder.contents.contains { $0.contains(ana) })
      #expect(folder.contents.count { $0.contains("feature-\(ben)") } == 2)
    }
  }
}
