import RallyCommand

/// A verb with what it does.
protocol PerformedVerb: ServerVerb {
  /// What has to happen on the main thread, before other threads start.
  func prepare() throws
  func perform() async throws
}

extension PerformedVerb {
  func prepare() throws {}
}
