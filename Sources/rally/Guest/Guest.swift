import FoundationEssentials
import Logging
import RallyClient
import RallyCommand
import RallyDomain
import RallySystem
import RallyWire

/// The person whom `sshd` let in on this host, for the time of their connection.
///
/// Only `SSHSessionVerb` makes one. Its profile lies in a private folder of its own; the session
/// stays in memory.
struct Guest: Sendable {
  /// Who it is.
  enum Identity: Sendable {
    case account(AuthSession)
    /// Somebody whose key belongs to the account that they make, or sign in to.
    case newcomer(SSHPublicKey, proof: String)
  }

  let folders: RallyFolders
  let server: ServerChoice
  /// Its requests count for the door and not for this host's address.
  let transport: Transport
  let identity: Identity

  /// Nil for the owner of this host's account.
  @TaskLocal static var current: Guest?

  /// - Throws: `FieldProblem` for a key that is none; `VerbFailure` for one that nobody claimed.
  init(_ admission: SSHAdmission, at door: SSHDoorService) throws {
    let name: String
    switch admission {
    case .account(let session):
      identity = .account(session)
      name = session.user.id.wireText
    case .newcomer(let key, let proof):
      identity = .newcomer(try SSHPublicKey(line: key), proof: proof)
      name = "new-\(UUID().wireText)"
    case .unclaimed: throw SSHKeyClaim.needed
    }
    folders = try RallyFolders(data: "\(door.file.guests)/\(name)", environment: [:])
    server = .remote(door.server, key: door.file.apiKey, allowsPlain: true)
    transport = Transport.live.adding(header: SSHDoorPath.header, door.file.token)
  }

  /// Takes one of the person's connections until this process ends.
  ///
  /// - Throws: `VerbFailure` where there is none left, or the guests' folder cannot be used.
  func takePlace() throws(VerbFailure) {
    let isTaken: Bool
    do {
      isTaken = try SSHGuestPlaces.take(in: folders.data)
    } catch {
      throw VerbFailure(.failed, "\(error.path) cannot be used (\(error.reason)).")
    }
    guard isTaken else {
      throw VerbFailure(
        .failed, "You have \(SSHGuestPlaces.count) connections here already.",
        advice: "Close one of them.")
    }
  }

  /// Nil for a newcomer.
  var session: AuthSession? { if case .account(let session) = identity { session } else { nil } }

  /// Gives the account that a newcomer made or signed in to their key.
  @MainActor
  func addKey(with services: AppServices) async {
    guard case .newcomer(let key, let proof) = identity else { return }
    let name = "\(key.type) \(WireTime.now.description.prefix(16))"
    do {
      _ = try await services.sshKeysService.addKey(key, name: String(name.prefix(40)), proof: proof)
    } catch {
      RallyLog.logger("SSHKeys").error("addKey — failed: \(type(of: error))")
    }
  }

  /// Ends the session on the server, and removes what a newcomer's folder has.
  func leave(_ authService: AuthService) async {
    _ = try? await authService.signOut()
    guard case .newcomer = identity else { return }
    try? FileManager.default.removeItem(atPath: folders.data)
  }
}
