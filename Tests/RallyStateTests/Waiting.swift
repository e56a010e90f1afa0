import Testing

/// Waits for a condition, and fails when it does not come.
@MainActor
func until(
  sourceLocation: SourceLocation = #_sourceLocation, _ condition: @MainActor () -> Bool
) async throws {
  let patience = ContinuousClock.now + .seconds(60)
  while !condition() {
    try #require(ContinuousClock.now < patience, sourceLocation: sourceLocation)
    try await Task.sleep(for: .milliseconds(2))
  }
}
