import Foundation
import HTTPTypes
import Hummingbird
import RallyRules
import RallyWire

/// The credential of a phone in the header of a request.
enum PhoneCredential {
  /// The password of HTTP Basic; the name before it is only a label.
  static func basic(_ request: Request) -> AccessSecret? {
    guard let text = parameter(of: "basic", in: request), let data = Data(base64Encoded: text)
    else { return nil }
    let pair = String(decoding: data, as: UTF8.self)
    guard let colon = pair.firstIndex(of: ":") else { return nil }
    return AccessSecret(pair[pair.index(after: colon)...])
  }

  static func bearer(_ request: Request) -> AccessSecret? {
    parameter(of: "bearer", in: request).flatMap { AccessSecret($0) }
  }

  private static func parameter(of scheme: String, in request: Request) -> String? {
    guard let header = request.headers[.authorization] else { return nil }
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == scheme else { return nil }
    return parts[1].trimmingCharacters(in: .whitespaces)
  }
}
