/// What the process of a demo says in one line of JSON once the visitor may come.
public struct DemoAnnouncement: Hashable, Sendable, Codable {
  public var url: String
  /// The anonymous API key of the demo's server.
  public var key: String
  public var visitor: DemoVisitor

  public init(url: String, key: String, visitor: DemoVisitor) {
    self.url = url
    self.key = key
    self.visitor = visitor
  }
}
