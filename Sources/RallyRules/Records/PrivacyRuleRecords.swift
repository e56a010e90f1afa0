import Foundation
import RallyStorage
import RallyWire

/// The table `privacy_rules`. Only its owner reads it, by `fetch_privacy_rules`; no table under
/// `/rest/v1` and no event has any of it.
package enum PrivacyRuleRecords {
  /// - Throws: `StorageFailure` also for a document that cannot be read: no position may be stored
  ///   as if there were no rules.
  package static func find(_ owner: String, in database: Database) throws -> PrivacyRules? {
    guard
      let text = try String.fetchOne(
        database, sql: "SELECT rules FROM privacy_rules WHERE user_id = ?", arguments: [owner])
    else { return nil }
    do {
      return try WireJSON.decode(PrivacyRules.self, from: Data(text.utf8))
    } catch {
      throw StorageFailure.damaged("not privacy rules")
    }
  }

  /// - Parameter rules: nil deletes the row.
  package static func set(_ rules: PrivacyRules?, of owner: String, in database: Database) throws {
    guard let rules else {
      return try database.execute(
        sql: "DELETE FROM privacy_rules WHERE user_id = ?", arguments: [owner])
    }
    try database.execute(
      sql: """
        INSERT INTO privacy_rules (user_id, rules) VALUES (?, ?)
        ON CONFLICT (user_id) DO UPDATE SET rules = excluded.rules
        """, arguments: [owner, try WireJSON.text(rules)])
  }
}
