import Foundation
import RallyStorage
import RallyWire

/// Adding, listing and revoking the phones that report their owner's position.
struct PhoneFunctions: Sendable {
  let budgets: BudgetKeeper
  var now: @Sendable () -> WireTime = { .now }

  func addPhone(_ call: AddPhone, caller: Caller, in database: Database) throws -> PhoneRecord {
    let name: String
    do {
      name = try AddPhone.checkedName(call.phoneName)
    } catch {
      throw FunctionFailure(.invalidArgument, error.advice)
    }
    guard let secret = AccessSecret(call.secret) else {
      throw FunctionFailure(.invalidArgument, "p_secret is 24 random bytes as base64url.")
    }
    let hash = secret.digest
    if let known = try PhoneRecords.find(call.phoneID.wireText, in: database) {
      guard known.owner == caller.id, known.secretHash == hash else {
        throw FunctionFailure(.invalidArgument, "This p_phone_id is taken; make another one.")
      }
      return known.record
    }
    guard try !PhoneRecords.isKnown(secretHash: hash, in: database) else {
      throw FunctionFailure(.invalidArgument, "This p_secret is taken; make another one.")
    }
    let time = now()
    try budgets.requireRoom(
      .phonesPerPerson, beside: try PhoneRecords.all(of: caller.userID, in: database).count,
      of: caller.userID, at: time, in: database
    ) { "You have \($0) phones; revoke one first." }
    let phone = StoredPhone(
      id: call.phoneID, owner: caller.id, app: call.app, name: name, secretHash: hash,
      createdAt: time)
    try PhoneRecords.insert(phone, in: database)
    return phone.record
  }

  func fetchPhones(
    _ call: FetchPhones, caller: Caller, in database: Database
  ) throws -> [PhoneRecord] {
    try PhoneRecords.all(of: caller.userID, in: database).map(\.record)
  }

  /// The next post of the phone gets 401. Its last position stays until another device reports one.
  func revokePhone(_ call: RevokePhone, caller: Caller, in database: Database) throws -> NoContent {
    let id = call.phoneID.wireText
    guard try PhoneRecords.find(id, in: database)?.owner == caller.id else {
      throw FunctionFailure(.notFound, "There is no phone with this id.")
    }
    try PhoneRecords.delete(id, in: database)
    try LocationDeviceRecords.delete(id, of: caller.userID, in: database)
    return NoContent()
  }
}
