import CSodium
import Foundation
import RallyText
import RallyWire

/// Creates access tokens with the server's own secret; thousands of sign-ins would take minutes of
/// password hashing.
struct TokenMint {
  private let secret: [UInt8]

  /// - Parameter file: The server's `server.json`.
  init(file: String) throws {
    struct Keys: Decodable { var jwt_secret: String }
    let data = FileManager.default.contents(atPath: file) ?? Data()
    var text = try WireJSON.decode(Keys.self, from: data).jwt_secret
      .replacing("-", with: "+").replacing("_", with: "/")
    text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    guard let bytes = Data(base64Encoded: text), bytes.count == 32 else {
      throw BenchFailure("no secret in \(file)")
    }
    secret = Array(bytes)
  }

  /// A token for a user whose session id equals the user id.
  func token(for person: String) throws -> String {
    let header = Self.base64(Data(#"{"alg":"HS256","typ":"JWT"}"#.utf8))
    let claims: JSONValue = [
      "sub": .string(person), "session_id": .string(person), "role": "authenticated",
      "aud": "authenticated", "exp": .integer(Int64(Date.now.timeIntervalSince1970) + 7200),
      "email": .string("\(person)@bench.example"),
    ]
    let signed = "\(header).\(Self.base64(try WireJSON.encode(claims)))"
    var tag = [UInt8](repeating: 0, count: 32)
    let message = Array(signed.utf8)
    crypto_auth_hmacsha256(&tag, message, UInt64(message.count), secret)
    return "\(signed).\(Self.base64(Data(tag)))"
  }

  private static func base64(_ data: Data) -> String {
    data.base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
