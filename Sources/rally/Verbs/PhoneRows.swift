import RallyDomain
import RallyWire

// The rows that the phone verbs print with `--json`: what is unknown is null.

/// A phone without its credential.
struct PhoneRow: Encodable {
  let phone: PhoneRecord

  init(_ phone: PhoneRecord) { self.phone = phone }

  enum CodingKeys: String, CodingKey {
    case id, app, name, problem
    case createdAt = "created_at"
    case lastPostAt = "last_post_at"
    case lastFixAt = "last_fix_at"
    case problemAt = "problem_at"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(phone.id.wireText, forKey: .id)
    try container.encode(phone.app, forKey: .app)
    try container.encode(phone.name, forKey: .name)
    try container.encode(phone.createdAt, forKey: .createdAt)
    try container.encode(phone.lastPostAt, forKey: .lastPostAt)
    try container.encode(phone.lastFixAt, forKey: .lastFixAt)
    try container.encode(phone.problem, forKey: .problem)
    try container.encode(phone.problemAt, forKey: .problemAt)
  }
}

/// What a phone is told, once.
struct PhoneSetupRow: Encodable {
  let phone: PhoneRecord
  let setup: PhoneSetup

  enum CodingKeys: String, CodingKey { case id, app, name, address, link, secret, settings }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(phone.id.wireText, forKey: .id)
    try container.encode(phone.app, forKey: .app)
    try container.encode(phone.name, forKey: .name)
    try container.encode(setup.address, forKey: .address)
    try container.encode(setup.link, forKey: .link)
    try container.encode(setup.secret.value, forKey: .secret)
    try container.encode(setup.settings, forKey: .settings)
  }
}
