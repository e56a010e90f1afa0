import Foundation
import RallyWire

/// Adding, listing and removing the keys that come in over SSH as their owner.
struct SSHKeyFunctions: Sendable {
  let budgets: BudgetKeeper
  var now: @Sendable () -> WireTime = { .now }

  func addKey(_ call: AddSSHKey, caller: Caller, in database: Database) throws -> SSHKeyRecord {
    let (name, key): (String, SSHPublicKey)
    do {
      (name, key) = (try AddSSHKey.checkedName(call.keyName), try SSHPublicKey(line: call.key))
    } catch {
      throw FunctionFailure(.invalidArgument, error.advice)
    }
    let fingerprint = SSHKeyRecords.fingerprint(of: key)
    if let known = try SSHKeyRecords.find(fingerprint: fingerprint, in: database) {
      guard known.owner == caller.id else {
        throw FunctionFailure(
          .invalidArgument, "This key belongs to another account; make one for this account.")
      }
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
    let time = now()
    try budgets.requireRoom(
      .sshKeysPerPerson, beside: own.count, of: caller.userID, at: time, in: database
    ) { "You have \($0) SSH keys; remove one first." }
    let stored = StoredSSHKey(
      id: call.keyID, owner: caller.id, name: name, type: key.type,
      blob: Data(key.blob).base64EncodedString(), fingerprint: fingerprint, createdAt: time)
    try SSHKeyRecords.insert(stored, in: database)
    return stored.record
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
