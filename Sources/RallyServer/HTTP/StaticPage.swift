import Foundation
import HTTPTypes
import Hummingbird
import RallyRules
import RallyStorage

/// A page of one document for everybody: the same bytes, with its one script and its one style, which
/// begin with what all pages have in common.
///
/// The policy names both by what they are, so nothing that gets into the page runs. Nothing is
/// loaded from elsewhere, framed, indexed, or named to another site.
struct StaticPage: Sendable {
  private let bytes: ByteBuffer
  private let headers: HTTPFields

  /// - Parameters:
  ///   - content: What is in `<main>`.
  ///   - permissions: What the page may ask the browser for; nil for the browser's own rule.
  init(title: String, content: String, script: String, style: String, permissions: String? = nil) {
    let script = Self.script + "\n" + script
    let style = Self.style + "\n" + style
    bytes = ByteBuffer(
      string: """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="robots" content="noindex">
        <title>\(title)</title>
        <style>\(style)</style>
        </head>
        <body>
        <main>
        \(content)
        </main>
        <script>\(script)</script>
        </body>
        </html>

        """)
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

  var response: Response { Response(status: .ok, headers: headers, body: .init(byteBuffer: bytes)) }

  /// As a policy names a script or a style: CSP level 3, section 2.3.1.
  private static func hash(of text: String) -> String {
    "sha256-\(Data(Sodium.sha256(text.utf8)).base64EncodedString())"
  }

  private static let style = """
    :root { color-scheme: light dark; --ground: #fff; --text: #1b1f24; --soft: #57606a; --line: #c8ccd1;
      --accent: #0b5cad; --on-accent: #fff; --problem: #a40e26; }
    @media (prefers-color-scheme: dark) { :root { --ground: #14171b; --text: #e6e8ea; --soft: #a0a8b1;
      --line: #3d444d; --accent: #7cb8ff; --on-accent: #0b1016; --problem: #ff9a9a; } }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--ground); color: var(--text);
      font: 1.0625rem/1.5 system-ui, sans-serif; }
    h1 { margin: 0; font-size: 1.25rem; letter-spacing: .2em; }
    p { margin: .5rem 0; overflow-wrap: anywhere; }
    .soft { color: var(--soft); }
    #problem { color: var(--problem); font-weight: 600; }
    button { min-height: 2.75rem; padding: .5rem 1.25rem; border: 0; border-radius: .375rem;
      background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600;
      cursor: pointer; }
    button:disabled { opacity: .6; cursor: default; }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    [hidden] { display: none; }
    """

  private static let script = #"""
    "use strict";
    const part = (id) => document.getElementById(id);

    // So many letters of Crockford's base 32: case and dashes do not matter, O is 0, I and L are 1.
    function lettersIn(fragment, count) {
      try { fragment = decodeURIComponent(fragment); } catch {}
      const folded = fragment.split(/[\s?&#<>"']/)[0].toUpperCase().replace(/[^0-9A-Z]/g, "")
        .replace(/O/g, "0").replace(/[IL]/g, "1");
      return folded.length === count && /^[0-9A-HJKMNP-TV-Z]+$/.test(folded) ? folded : null;
    }
    """#
}
