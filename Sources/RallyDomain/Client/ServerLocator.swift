import RallyWire

/// Knows where the server is, and finds out again when it went away.
///
/// An embedded server may have to be started first; however many calls wait, it is prepared once.
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

  /// Forgets an address that did not answer; the next call prepares again.
  func forget(_ failed: ServerAddress) {
    if address == failed { address = nil }
  }
}
