import RallyClient
import RallySystem
import RallyText
import RallyWire

/// An invitation code as it is shared: alone, or as a link that includes its server.
///
/// `https://HOST/i#CODE` is for everybody; `rally://invite/CODE?server=…` for terminals and desktops.
public struct InvitationLink: Hashable, Sendable, CustomStringConvertible {
  public let code: InvitationCode
  /// The server that issued the code; nil if the text names none.
  public let server: ServerURL?
  /// The server without TLS, where the text said so: messengers write `http` for `https`.
  public let plainServer: ServerURL?

  public init(code: InvitationCode, server: ServerURL?, plainServer: ServerURL? = nil) {
    self.code = code
    self.server = server
    self.plainServer = plainServer
  }

  /// - Parameter choice: The server that issued the code; the embedded one has no public address.
  public init(code: InvitationCode, from choice: ServerChoice) {
    self.init(code: code, server: choice.url)
  }

  /// Reads a code or a link, as typed, pasted or passed on by a messenger: within other text, in
  /// brackets, with a full stop behind it, percent-encoded.
  ///
  /// - Throws: `FieldProblem` that says what is the matter and what to do.
  public init(_ text: String) throws(FieldProblem) {
    let links = Self.words(of: text).filter(Self.isLinkWord)
    guard let first = links.first else {
      self.init(code: try InvitationCode(text), server: nil)
      return
    }
    let link = try Self.read(first)
    for other in links.dropFirst() {
      guard let other = try? Self.read(other), other.code != link.code else { continue }
      throw FieldProblem(
        field: .code, advice: "There are two invitations in this. Paste the one that you mean.")
    }
    self = link
  }

  /// Whether a text is, or contains, an invitation link rather than a command or a name.
  public static func isLink(_ text: String) -> Bool { words(of: text).contains(where: isLinkWord) }

  private static func isLinkWord(_ word: String) -> Bool {
    let word = word.lowercased()
    return word.hasPrefix(InvitationCode.linkPrefix) || isWebLink(word)
  }

  /// What names a page `/i`, also one whose code was cut off.
  private static func isWebLink(_ text: String) -> Bool {
    if ["\(page)#", "\(page)%23", "\(page)/#", "%2fi%23"].contains(where: text.contains) {
      return true
    }
    return text.hasPrefix("http") && (text.hasSuffix(page) || text.hasSuffix("\(page)/"))
  }

  private static let page = InvitationQuestion.path

  // MARK: - Reading

  /// The words of a text without the brackets, quotes and stops that stand around a link.
  private static func words(of text: String) -> [String] {
    text.split { $0.isWhitespace || "<>\"“”«»".contains($0) }.compactMap { part in
      let opened = part.drop { "([{'‘`*_".contains($0) }
      let word = opened.trimmingSuffix { ".,;:!?)]}'’`*_…".contains($0) }
      return word.isEmpty ? nil : decoded(String(word))
    }
  }

  /// A link that was percent-encoded as a whole, or whose `#` was.
  private static func decoded(_ word: String) -> String {
    let small = word.lowercased()
    guard small.contains("%3a%2f%2f") || small.contains("\(page)%23") else { return word }
    // The address within a link of the terminal stays encoded.
    return small.hasPrefix(InvitationCode.linkPrefix) ? word : word.percentDecoded ?? word
  }

  private static func read(_ word: String) throws(FieldProblem) -> InvitationLink {
    if word.lowercased().hasPrefix(InvitationCode.linkPrefix) { return try readTerminalLink(word) }
    return try readWebLink(word)
  }

  /// `rally://invite/CODE?server=…`
  private static func readTerminalLink(_ text: String) throws(FieldProblem) -> InvitationLink {
    let code = try InvitationCode(text)
    guard let start = text.firstIndex(of: "?") else {
      return InvitationLink(code: code, server: nil)
    }
    let query = text[text.index(after: start)...].trimmed
    let values = query.split(separator: "&").compactMap { part -> String? in
      guard part.hasPrefix("server=") else { return nil }
      return String(part.dropFirst(7)).percentDecoded
    }
    guard let value = values.first else { return InvitationLink(code: code, server: nil) }
    return InvitationLink(code: code, server: try ServerURL(value))
  }

  /// `https://HOST/i#CODE`
  private static func readWebLink(_ text: String) throws(FieldProblem) -> InvitationLink {
    let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    // A messenger may have put its own address around it.
    var address = String(parts[0].split(separator: "=").last ?? "")
    while address.hasSuffix("/") { address.removeLast() }
    guard address.lowercased().hasSuffix(page) else { throw foreign }
    guard let server = try? ServerURL(String(address.dropLast(page.count))) else {
      throw FieldProblem(
        field: .code,
        advice:
          "This link is changed: it names no server. Ask whoever invites you to send it again.")
    }
    let typed = parts.count == 2 ? parts[1].prefix { !"?&#".contains($0) } : ""
    guard let code = try? InvitationCode(String(typed)), code.isLong else {
      throw FieldProblem(
        field: .code,
        advice: "This link is cut: behind # it has \(InvitationCode.length) letters and digits."
          + " Ask whoever invites you to send it again.")
    }
    guard !server.isSecure, !server.isNear else {
      return InvitationLink(code: code, server: server)
    }
    return InvitationLink(code: code, server: server.otherSchemeAtItsPort, plainServer: server)
  }

  private static var foreign: FieldProblem { FieldProblem(field: .code, advice: foreignAdvice) }

  /// What is said of a link that leads elsewhere.
  public static let foreignAdvice =
    "This link is no invitation. Ask whoever invites you for one like"
    + " https://rally.example.org/i#CODE."

  // MARK: - Writing

  /// The form for terminals and desktops.
  public var description: String {
    guard let server else { return code.link }
    return "\(code.link)?server=\(server.description.percentEncoded())"
  }

  /// The link for a browser and any messenger.
  ///
  /// - Parameter url: How the group reaches its server.
  public static func web(_ code: InvitationCode, at url: ServerURL) -> String {
    "\(url)\(page)#\(code.value)"
  }

  /// Whether it was issued by a server: one of another server's has to be opened there.
  public func isFrom(_ choice: ServerChoice) -> Bool {
    guard let server else { return true }
    guard case .remote(let url, _, _, let others) = choice else { return false }
    return ([url] + others).contains { $0 == server || $0 == plainServer }
  }

  /// Why the link cannot be used on a server; nil if it can.
  public func problem(on choice: ServerChoice) -> FieldProblem? {
    guard let server, !isFrom(choice) else { return nil }
    let here = choice.url.map { "on \($0)" } ?? "on the server of this machine"
    return FieldProblem(
      field: .code,
      advice: "This invitation is for \(server); you are \(here). A profile of its own opens it: "
        + "rally --profile NAME LINK")
  }
}

extension ServerURL {
  /// Whether it is this machine, or an address of a private network: there http may be meant.
  fileprivate var isNear: Bool { PlainHTTP.isPrivateLiteral(host) || host == "localhost" }

  /// The same host over TLS: at its own port where that was written, else at the usual one.
  fileprivate var otherSchemeAtItsPort: ServerURL? {
    port == 80 ? ServerURL(secureHost: host, path: path) : otherScheme
  }
}

extension StringProtocol {
  fileprivate func trimmingSuffix(while drops: (Character) -> Bool) -> SubSequence {
    var end = endIndex
    while end > startIndex, drops(self[index(before: end)]) { end = index(before: end) }
    return self[startIndex..<end]
  }
}

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

  /// Why a browser cannot open it.
  package enum Limit {
    /// The embedded server made it.
    case thisMachine
    /// The server does not say how it is reached.
    case noPublicURL
  }

  /// nil if a browser can open it, or the server was not asked.
  package var limit: Limit? {
    if server == .embedded { return .thisMachine }
    return settings != nil && publicURL == nil ? .noPublicURL : nil
  }
}
