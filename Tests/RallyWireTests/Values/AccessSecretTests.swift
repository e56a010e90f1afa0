import Foundation
import RallyWire
import Testing

@Suite struct AccessSecretTests {
  @Test func `24 bytes become 32 characters that are read back`() throws {
    let secret = try #require(AccessSecret(randomBytes: [UInt8](repeating: 0xFB, count: 24)))
    #expect(secret.value == String(repeating: "-_v7", count: 8))
    #expect(AccessSecret(secret.value) == secret)
    #expect(AccessSecret(randomBytes: [UInt8](repeating: 0, count: 23)) == nil)
  }

  @Test(arguments: [
    "", String(repeating: "a", count: 31), String(repeating: "a", count: 33),
    String(repeating: "a", count: 31) + "+", String(repeating: "a", count: 31) + "=",
    String(repeating: "a", count: 30) + "é", String(repeating: "a", count: 31) + "\n",
  ]) func `anything else is refused`(_ text: String) {
    #expect(AccessSecret(text) == nil)
  }

  @Test func `a description and a dump lack the value`() throws {
    let secret = try #require(AccessSecret(randomBytes: [UInt8](1...24)))
    var dumped = ""
    dump([secret], to: &dumped)
    #expect(!"\(secret) \(String(reflecting: secret)) \(dumped)".contains(secret.value))
  }
}
