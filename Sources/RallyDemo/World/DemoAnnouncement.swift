/// One line of JSON that the demo process prints once it is ready for the visitor.
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
