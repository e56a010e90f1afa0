import Foundation
import RallyStorage
import RallyWire

/// Adding, listing and removing the keys that come in over SSH as their owner.
struct SSHKeyFunctions: Sendable {
  let budgets: BudgetKeeper
  /// Reads what a door says; nil takes nothing from one.
  var signer: TokenSigner?
  var now: @Sendable () -> WireTime = { .now }

  /// What others did with the same key shows in nothing: it counts once somebody came in with it.
  func addKey(_ call: AddSSHKey, caller: Caller, in database: Database) throws -> SSHKeyRecord {
    let (name, key): (String, SSHPublicKey)
    do {
      (name, key) = (try AddSSHKey.checkedName(call.keyName), try SSHPublicKey(line: call.key))
    } catch {
      throw FunctionFailure(.invalidArgument, error.advice)
    }
    let fingerprint = SSHKeyRecords.fingerprint(of: key)
    let time = now()
    let isProved = isProof(call.proof, of: fingerprint, at: time)
    if let known = try SSHKeyRecords.find(fingerprint: fingerprint, of: caller.userID, in: database)
    {
      if isProved { try SSHKeyRecords.wasUsed(known.id, at: time, in: database) }
      guard known.id == call.keyID else {
        throw FunctionFailure(.invalidArgument, "You have this key already, as “\(known.name)”.")
      }
      return known.record
    }
    guard try SSHKeyRecords.find(call.keyID.wireText, in: database) == nil else {
      throw FunctionFailure(.invalidArgument, "This p_key_id is taken; make another one.")
    }
    let own = try SSHKeyRecords.all(of: caller.userID, in: database)
    guard !own.contains(where: { $0.name == name }) else {
      throw FunctionFailure(.invalidArgument, "You have a key called “\(name)”; use another name.")
    }
    try budgets.requireRoom(
      .sshKeysPerPerson, beside: own.count, of: caller.userID, at: time, in: database
    ) { "You have \($0) SSH keys; remove one first." }
    let stored = StoredSSHKey(
      id: call.keyID, owner: caller.id, name: name, type: key.type,
      blob: Data(key.blob).base64EncodedString(), fingerprint: fingerprint, createdAt: time,
      lastUsedAt: isProved ? time : nil)
    try SSHKeyRecords.insert(stored, in: database)
    return stored.record
  }

  private func isProof(_ text: String?, of fingerprint: String, at time: WireTime) -> Bool {
    guard let text, let claims = try? signer?.verify(text, at: time) else { return false }
    return claims.role == AccessClaims.sshProofRole && claims.fingerprint == fingerprint
  }

  func fetchKeys(
    _ call: FetchSSHKeys, caller: Caller, in database: Database
  ) throws -> [SSHKeyRecord] {
    try SSHKeyRecords.all(of: caller.userID, in: database).map(\.record)
  }

  func removeKey(_ call: RemoveSSHKey, caller: Caller, in database: Database) throws -> NoContent {
    let id = call.keyID.wireText
    guard try SSHKeyRecords.find(id, in: database)?.owner == caller.id else {
      throw FunctionFailure(.notFound, "There is no SSH key with this id.")
    }
    try SSHKeyRecords.delete(id, in: database)
    return NoContent()
  }
}
