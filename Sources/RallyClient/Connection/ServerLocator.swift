import RallyWire
import Synchronization

/// Caches the server's address, and looks it up again when the server is gone.
///
/// Concurrent calls share one look-up, which may have to start the embedded server.
package actor ServerLocator {
  /// Where a failed request may be sent again.
  enum Repetition: Sendable {
    case nowhere
    /// At an address that was not tried.
    case elsewhere
    /// Also once more at the same address.
    case anywhere
  }

  private let prepare: @Sendable () async throws -> ServerAddress
  private var address: ServerAddress?
  private var preparing: Task<ServerAddress, any Error>?

  init(prepare: @escaping @Sendable () async throws -> ServerAddress) { self.prepare = prepare }

  func current() async throws -> ServerAddress {
    if let address { return address }
    if let preparing { return try await preparing.value }
    let prepare = self.prepare
    let task = Task { try await prepare() }
    preparing = task
    defer { preparing = nil }
    let prepared = try await task.value
    address = prepared
    return prepared
  }

  /// Forgets an address that does not respond; the next call looks it up again.
  private func forget(_ failed: ServerAddress) {
    if address == failed { address = nil }
  }

  /// Runs a request at the server's address, and again where it fails and may be repeated: the
  /// address may have changed, the embedded server may have ended, or there are others.
  ///
  /// - Throws: The error of the last attempt.
  nonisolated func attempt<T>(
    repeating repetition: (NetworkError, ServerAddress) -> Repetition,
    _ request: (ServerAddress) async throws -> T
  ) async throws -> T {
    var tried: [ServerAddress] = []
    while true {
      let address = try await current()
      do {
        return try await request(address)
      } catch let error as NetworkError where error.isOffline {
        await forget(address)
        tried.append(address)
        switch repetition(error, address) {
        case .nowhere: throw error
        case .anywhere where tried.count == 1: break
        case .anywhere, .elsewhere:
          guard let next = try? await current(), !tried.contains(next) else { throw error }
        }
      }
    }
  }
}

/// The addresses of one server, each after the one before has failed.
final class AddressRing: Sendable {
  private let urls: [ServerURL]
  private let taken = Atomic(0)

  /// - Parameter urls: At least one.
  init(_ urls: [ServerURL]) { self.urls = urls }

  func next() -> ServerURL {
    urls[taken.wrappingAdd(1, ordering: .relaxed).oldValue % urls.count]
  }
}
