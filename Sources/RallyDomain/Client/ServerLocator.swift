import RallyWire

/// Caches the server's address, and looks it up again when the server is gone.
///
/// Concurrent calls share one look-up, which may have to start the embedded server.
actor ServerLocator {
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
  func forget(_ failed: ServerAddress) {
    if address == failed { address = nil }
  }
}
