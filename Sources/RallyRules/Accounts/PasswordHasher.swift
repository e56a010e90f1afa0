import Foundation
import RallyStorage
import RallyWire
import Synchronization

/// How much work one password hash costs.
public struct PasswordCost: Hashable, Sendable {
  /// argon2id passes over the memory.
  public var operations: UInt64
  /// Bytes of memory.
  public var memory: Int

  public init(operations: UInt64, memory: Int) {
    self.operations = operations
    self.memory = memory
  }

  /// 19 MiB, two passes: OWASP's first choice for argon2id.
  public static let standard = PasswordCost(operations: 2, memory: 19 << 20)
  /// The least that libsodium takes; for tests.
  public static let cheap = PasswordCost(operations: 1, memory: 8192)
}

/// Hashes and verifies passwords on two threads of its own, which bounds memory and keeps the
/// cooperative pool free.
package final class PasswordHasher: Sendable {
  private let cost: PasswordCost
  private let waitingLimit: Int
  private let queue: OperationQueue
  /// Verified for an unknown account, so that both cases take equally long.
  private let decoy: String
  private let count = Atomic(0)

  /// The number of hashes computed so far.
  var hashes: Int { count.load(ordering: .relaxed) }

  /// - Parameter waitingLimit: The length of the queue: a few seconds of work at the standard cost
  ///   on two slow cores.
  package init(cost: PasswordCost, waitingLimit: Int = 128) {
    self.cost = cost
    self.waitingLimit = waitingLimit
    queue = OperationQueue()
    queue.name = "passwords"
    queue.maxConcurrentOperationCount = 2
    decoy =
      Sodium.passwordHash("nobody", operations: cost.operations, memory: cost.memory) ?? ""
  }

  /// The number of passwords being hashed or waiting.
  package var waiting: Int { queue.operationCount }

  package func hash(_ password: String) async throws -> String {
    let (cost, password) = (cost, password.composed)
    let hash = try await run {
      Sodium.passwordHash(password, operations: cost.operations, memory: cost.memory)
    }
    guard let hash else {
      throw AuthRefusal(500, .unexpectedFailure, "The password could not be stored")
    }
    return hash
  }

  /// A password that was set before passwords were composed is right as it was typed then.
  ///
  /// - Parameter hash: nil if there is no such account; takes as long and returns false.
  func verifies(_ password: String, against hash: String?) async throws -> Bool {
    let known = hash ?? decoy
    for form in password.canonicalForms
    where try await run({ Sodium.verifies(form, against: known) }) {
      return hash != nil
    }
    return false
  }

  /// Does work on the threads for passwords.
  ///
  /// - Throws: `AuthRefusal` if the queue is full.
  func run<T: Sendable>(_ work: @escaping @Sendable () -> T) async throws -> T {
    guard waiting < waitingLimit else { throw AuthRefusal.tooBusy }
    count.add(1, ordering: .relaxed)
    return await withCheckedContinuation { continuation in
      queue.addOperation { continuation.resume(returning: work()) }
    }
  }
}
