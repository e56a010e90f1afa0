import Foundation
import HTTPTypes
import Hummingbird

/// A page of one document for everybody: the same bytes, with its one script and its one style.
///
/// The policy names both by what they are, so nothing that gets into the page runs. Nothing is loaded
/// from elsewhere, framed, indexed, or told to another site.
struct StaticPage: Sendable {
  private let bytes: ByteBuffer
  private let headers: HTTPFields

  /// - Parameters:
  ///   - document: With the script and the style in it.
  ///   - permissions: What the page may ask the browser for; nil for the browser's own rule.
  init(_ document: String, script: String, style: String, permissions: String? = nil) {
    bytes = ByteBuffer(string: document)
    let policy = [
      "default-src 'none'", "script-src '\(Self.hash(of: script))'",
      "style-src '\(Self.hash(of: style))'", "connect-src 'self'", "base-uri 'none'",
      "form-action 'none'", "frame-ancestors 'none'",
    ]
    var headers: HTTPFields = [
      .contentType: "text/html; charset=utf-8",
      .contentSecurityPolicy: policy.joined(separator: "; "),
      .xContentTypeOptions: "nosniff",
    ]
    headers[.referrerPolicy] = "no-referrer"
    headers[.robotsTag] = "noindex"
    if let permissions { headers[.permissionsPolicy] = permissions }
    self.headers = headers
  }

  var response: Response {
    Response(status: .ok, headers: headers, body: .init(byteBuffer: bytes))
  }

  /// As a policy names a script or a style: CSP level 3, section 2.3.1.
  private static func hash(of text: String) -> String {
    "sha256-\(Data(Sodium.sha256(text.utf8)).base64EncodedString())"
  }
}
