import CSodium
import Foundation
import GRDB
import RallyWire

extension ScaleDatabase {
  /// Gives each of these people a phone with OwnTracks, five friends among them, and shares
  /// positions with all of them.
  ///
  /// - Returns: The credentials.
  func addPhones(to people: [String]) throws -> [AccessSecret] {
    try queue.write { database in
      for (index, person) in people.enumerated() {
        for step in 1...5 {
          try befriend(person, people[(index + step) % people.count], in: database)
        }
        try database.execute(
          sql: "INSERT INTO location_sharing (owner, friend, mode) VALUES (?, ?, 'precise')",
          arguments: [person, person])
      }
      return try people.map { try addPhone(to: $0, in: database) }
    }
  }

  private func befriend(_ a: String, _ b: String, in database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO friendships
          (id, smaller, larger, requester, status, created_at, accepted_at, version)
        VALUES (?, ?, ?, ?, 'accepted', ?, ?, 2)
        """, arguments: [UUID().wireText, min(a, b), max(a, b), a, now, now])
    for (owner, friend) in [(a, b), (b, a)] {
      try database.execute(
        sql: """
          INSERT INTO friend_names (owner, name, friend)
          SELECT ?, display_key, id FROM profiles WHERE id = ?
          """, arguments: [owner, friend])
    }
  }

  private func addPhone(to person: String, in database: Database) throws -> AccessSecret {
    var numbers = SystemRandomNumberGenerator()
    let bytes = (0..<AccessSecret.byteCount).map { _ in UInt8.random(in: 0...255, using: &numbers) }
    guard let secret = AccessSecret(randomBytes: bytes) else {
      throw BenchFailure("no credential could be made")
    }
    let text = Array(secret.value.utf8)
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_bytes()))
    crypto_hash_sha256(&digest, text, UInt64(text.count))
    let hash = Data(digest).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    try database.execute(
      sql: """
        INSERT INTO phones (id, user_id, app, name, secret_hash, created_at)
        VALUES (?, ?, 'owntracks', 'Phone', ?, ?)
        """, arguments: [UUID().wireText, person, hash, now])
    return secret
  }
}
