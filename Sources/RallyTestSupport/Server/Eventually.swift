/// Polls a condition that cannot be awaited.
///
/// - Throws: `ProcessFailure` if it does not hold in time.
package func eventually(
  _ what: String, within limit: Duration = PollingBackoff.limit,
  _ condition: () async throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + limit
  while try await !condition() {
    guard ContinuousClock.now < deadline else { throw ProcessFailure("never came true: \(what)") }
    try await Task.sleep(for: .milliseconds(20))
  }
}
