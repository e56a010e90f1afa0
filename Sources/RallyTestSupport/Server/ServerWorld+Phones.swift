import Foundation
import RallyRules
import RallyServer
import RallyStorage
import RallyWire

extension AccessSecret {
  package static func sample() -> AccessSecret {
    AccessSecret(randomBytes: Sodium.randomBytes(AccessSecret.byteCount))!
  }
}

extension PhoneFix {
  package static func sample(
    _ place: Coordinate = .lisbon, at time: WireTime, accuracy: Double? = 8, speed: Double? = nil
  ) -> PhoneFix {
    PhoneFix(
      latitude: place.latitude, longitude: place.longitude, accuracyMetres: accuracy, speed: speed,
      battery: 73, recordedAt: time)
  }
}

extension ServerWorld {
  package func addPhone(_ app: PhoneApp = .owntracks, of member: Int) async throws -> AccessSecret {
    let secret = AccessSecret.sample()
    _ = try await result(
      of: AddPhone(phoneID: UUID(), app: app, name: "Pixel", secret: secret), as: member)
    return secret
  }

  /// - Throws: What `PhoneInbox` throws.
  @discardableResult
  package func post(
    _ post: PhonePost, with secret: AccessSecret, for app: PhoneApp = .owntracks,
    budgets: Budgets = .withoutRates
  ) async throws -> StoredPhone {
    let keeper = BudgetKeeper(budgets)
    let inbox = PhoneInbox(
      storage: storage, moves: moves, limiter: RateLimiter(budgets: keeper),
      reads: ReadGate(budgets: keeper), now: { self.now })
    return try await inbox.take(post, of: try await inbox.admit(secret, for: app, from: nil))
  }

  /// What the reply to a phone says.
  package func reply(to phone: StoredPhone) async throws -> [OwnTracksMessage] {
    try await PhoneFriends(storage: storage, budgets: BudgetKeeper(), now: { self.now })
      .messages(for: phone)
  }
}
