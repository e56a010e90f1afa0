import Foundation
import RallyWire

/// A code as it goes from person to person: alone, or as a link that also names its server.
///
/// `rally://invite/7QK2MX9PTF?server=https%3A%2F%2Frally.example.org`
public struct InvitationLink: Hashable, Sendable, CustomStringConvertible {
  public let code: InvitationCode
  /// The server that gave the code; nil where the text names none.
  public let server: ServerURL?

  public init(code: InvitationCode, server: ServerURL?) {
    self.code = code
    self.server = server
  }

  /// - Parameter choice: The server that gave the code; that of a machine has no address for others.
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
    let query = text[text.index(after: start)...].trimmingCharacters(in: .whitespacesAndNewlines)
    let values = query.split(separator: "&").compactMap { part -> String? in
      guard part.hasPrefix("server=") else { return nil }
      return String(part.dropFirst(7)).removingPercentEncoding
    }
    guard let value = values.first else {
      server = nil
      return
    }
    server = try ServerURL(value)
  }

  /// Whether a text is meant as a link, and not as a verb or a name.
  public static func isLink(_ text: String) -> Bool {
    text.lowercased().hasPrefix(InvitationCode.linkPrefix)
  }

  public var description: String {
    guard let server else { return code.link }
    var unreserved = CharacterSet.alphanumerics
    unreserved.insert(charactersIn: "-._~")
    let value = server.description.addingPercentEncoding(withAllowedCharacters: unreserved)
    return "\(code.link)?server=\(value ?? server.description)"
  }

  /// Why the link cannot be followed from a server; nil where it can.
  public func problem(on choice: ServerChoice) -> FieldProblem? {
    guard let server, server != choice.url else { return nil }
    let here = choice.url.map { "on \($0)" } ?? "on the server of this machine"
    return FieldProblem(
      field: .code,
      advice: "This invitation is for \(server); you are \(here). Sign in there to see it: "
        + "rally --server \(server)")
  }
}

extension ServerChoice {
  /// The address that others reach it by; nil for the server of this machine.
  public var url: ServerURL? { if case .remote(let url, _, _) = self { url } else { nil } }
}
