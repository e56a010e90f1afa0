import RallyCommand
import RallyDomain
import RallyWire

// The rows that the phone verbs print with `--json`: what is unknown is null.

/// A phone without its credential.
struct PhoneRow: JSONRow {
  let phone: PhoneRecord

  init(_ phone: PhoneRecord) { self.phone = phone }

  var members: [String: (any Encodable)?] {
    [
      "id": phone.id.wireText,
      "app": phone.app,
      "name": phone.name,
      "created_at": phone.createdAt,
      "last_post_at": phone.lastPostAt,
      "last_fix_at": phone.lastFixAt,
      "problem": phone.problem,
      "problem_at": phone.problemAt,
    ]
  }
}

/// What a phone is told, once.
struct PhoneSetupRow: JSONRow {
  let phone: PhoneRecord
  let setup: PhoneSetup

  var members: [String: (any Encodable)?] {
    [
      "id": phone.id.wireText,
      "app": phone.app,
      "name": phone.name,
      "address": setup.address,
      "link": setup.link,
      "secret": setup.secret.value,
      "settings": setup.settings,
    ]
  }
}
