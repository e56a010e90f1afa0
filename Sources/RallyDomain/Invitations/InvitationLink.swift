import RallyText
import RallyWire

/// An invitation code as it is shared: alone, or as a link that includes its server.
public struct InvitationLink: Hashable, Sendable, CustomStringConvertible {
  public let code: InvitationCode
  /// The server that issued the code; nil if the text names none.
  public let server: ServerURL?

  public init(code: InvitationCode, server: ServerURL?) {
    self.code = code
    self.server = server
  }

  /// - Parameter choice: The server that issued the code; the embedded one has no public address.
  public init(code: InvitationCode, from choice: ServerChoice) {
    self.init(code: code, server: choice.url)
  }

  /// Reads a code or a link, as typed or pasted.
  ///
  /// - Throws: `FieldProblem` that says what to type instead.
  public init(_ text: String) throws(FieldProblem) {
    code = try InvitationCode(text)
    guard let start = text.firstIndex(of: "?") else {
      server = nil
      return
    }
    let query = text[text.index(after: start)...].trimmed
    let values = query.split(separator: "&").compactMap { part -> String? in
      guard part.hasPrefix("server=") else { return nil }
      return String(part.dropFirst(7)).percentDecoded
    }
    guard let value = values.first else {
      server = nil
      return
    }
    server = try ServerURL(value)
  }

  /// Whether a text is an invitation link rather than a command or a name.
  public static func isLink(_ text: String) -> Bool {
    text.lowercased().hasPrefix(InvitationCode.linkPrefix)
  }

  public var description: String {
    guard let server else { return code.link }
    return "\(code.link)?server=\(server.description.percentEncoded())"
  }

  /// Why the link cannot be used on a server; nil if it can.
  public func problem(on choice: ServerChoice) -> FieldProblem? {
    guard let server, server != choice.url else { return nil }
    let here = choice.url.map { "on \($0)" } ?? "on the server of this machine"
    return FieldProblem(
      field: .code,
      advice: "This invitation is for \(server); you are \(here). Ask who invited you for the API "
        + "key of that server, then sign in there: rally --server \(server) --key KEY")
  }
}

extension ServerChoice {
  /// The public address; nil for the embedded server.
  public var url: ServerURL? { if case .remote(let url, _, _, _) = self { url } else { nil } }
}
