import Foundation
import RallyStorage
import RallyWire

/// The zones and hours that people keep with their account. Nothing here is logged.
struct PrivacyFunctions: Sendable {
  var now: @Sendable () -> WireTime = { .now }

  func fetchRules(
    _ call: FetchPrivacyRules, caller: Caller, in database: Database
  ) throws -> AccountPrivacyRules {
    AccountPrivacyRules(rules: try PrivacyRuleRecords.find(caller.userID, in: database))
  }

  func setRules(
    _ call: SetPrivacyRules, caller: Caller, in database: Database
  ) throws -> NoContent {
    if let problem = call.rules?.problem { throw FunctionFailure(.invalidArgument, problem) }
    guard try PrivacyRuleRecords.find(caller.userID, in: database) != call.rules else {
      return NoContent()
    }
    try PrivacyRuleRecords.set(call.rules, of: caller.userID, in: database)
    try SharingRecords.announce(to: caller.userID, at: now(), in: database)
    return NoContent()
  }
}
