import Foundation
import RallyWire

extension SSHPublicKey {
  /// An ed25519 key that nobody has the other half of.
  package static func sample(_ number: UInt8 = .random(in: 0...255)) throws -> SSHPublicKey {
    let type = "ssh-ed25519"
    let half = (0..<32).map { _ in UInt8.random(in: 0...255) }.dropLast() + [number]
    var blob = Data([0, 0, 0, UInt8(type.utf8.count)])
    blob += Data(type.utf8) + Data([0, 0, 0, 32]) + Data(half)
    return try SSHPublicKey(line: "\(type) \(blob.base64EncodedString())")
  }
}
