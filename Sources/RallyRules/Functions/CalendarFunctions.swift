import Foundation
import RallyStorage
import RallyWire

/// A person's private address of a calendar, and what is read there.
package struct CalendarFunctions: Sendable {
  package var now: @Sendable () -> WireTime = { .now }

  /// Refuses while there is an address: it is shown only once, and replacing it would silence whoever
  /// has it.
  func makeAddress(
    _ call: MakeCalendarAddress, caller: Caller, in database: Database
  ) throws -> CalendarAddressRecord {
    guard let secret = AccessSecret(call.secret) else {
      throw FunctionFailure(.invalidArgument, "p_secret is 24 random bytes as base64url.")
    }
    if let known = try CalendarAddressRecords.find(of: caller.userID, in: database) {
      guard known.secretHash == secret.digest else {
        throw FunctionFailure(
          .invalidArgument,
          "Your calendar has an address already, which was shown only once; revoke it first.")
      }
      return known.record
    }
    guard
      try CalendarAddressRecords.find(secretHash: secret.digest, in: database) == nil
    else { throw FunctionFailure(.invalidArgument, "This p_secret is taken; make another one.") }
    let address = CalendarAddressRecords.Address(
      owner: caller.userID, secretHash: secret.digest, createdAt: now())
    try CalendarAddressRecords.insert(address, in: database)
    return address.record
  }

  func fetchAddress(
    _ call: FetchCalendarAddress, caller: Caller, in database: Database
  ) throws -> [CalendarAddressRecord] {
    try CalendarAddressRecords.find(of: caller.userID, in: database).map { [$0.record] } ?? []
  }

  /// Succeeds without an address too.
  func revokeAddress(
    _ call: RevokeCalendarAddress, caller: Caller, in database: Database
  ) throws -> NoContent {
    try CalendarAddressRecords.delete(of: caller.userID, in: database)
    return NoContent()
  }

  /// The missions of a person's calendar, as `fetch_missions` gives them to that person.
  package static func missions(
    of person: String, at time: WireTime, in database: Database
  ) throws -> [MissionRecord] {
    let reader = try MissionReader(person, at: time, in: database)
    let open = try MissionRecords.open(
      of: person, at: time, slice: Slice(limit: MissionCalendar.openLimit, offset: 0),
      in: database)
    let over = try MissionRecords.over(
      of: person, at: time, slice: Slice(limit: MissionCalendar.doneLimit, offset: 0),
      in: database)
    return try (open + over).map {
      try MissionFunctions.record(of: $0, for: reader, in: database)
    }
  }
}
