import RallyClient
import RallyWire

/// How an invitation of a server is passed on: as a link that brings a stranger in, as a link for
/// terminals, or as a code.
public struct InvitationWay: Hashable, Sendable {
  private let server: ServerChoice
  private let settings: AuthSettings?
  private let isGuest: Bool

  /// - Parameters:
  ///   - settings: What the server says of itself; nil if it did not.
  ///   - isGuest: Whether this is a client on the server's own host, whose address for the server
  ///     means nothing elsewhere.
  public init(server: ServerChoice, settings: AuthSettings?, isGuest: Bool = false) {
    self.server = server
    self.settings = settings
    self.isGuest = isGuest
  }

  private var publicURL: ServerURL? {
    settings?.publicURL.flatMap { try? ServerURL($0) }
  }

  /// What is sent to a friend.
  public func text(of code: InvitationCode) -> String {
    if let publicURL { return InvitationLink.web(code, at: publicURL) }
    if server.url == nil || isGuest { return code.description }
    return InvitationLink(code: code, from: server).description
  }

  /// Whether that is a link.
  public var isLink: Bool { publicURL != nil || server.url != nil && !isGuest }

  /// The command that comes in without Rally; nil where there is no such door.
  public var ssh: String? { settings?.ssh }

  /// Why it is no link that anybody can open, in a sentence; nil if it is one, or nobody knows.
  public var remark: String? {
    if server == .embedded {
      return "It works for the accounts of this machine, whose server it is from."
    }
    guard settings != nil, publicURL == nil else { return nil }
    return "It is no link for a browser: the server does not say how it is reached (`rally serve"
      + " --public-url`)."
  }
}
