import Foundation
import RallyWire
import Testing

@Suite struct SSHPublicKeyTests {
  /// A string of RFC 4251.
  private static func string(_ bytes: [UInt8]) -> [UInt8] {
    withUnsafeBytes(of: UInt32(bytes.count).bigEndian, Array.init) + bytes
  }

  private static func line(_ type: String, _ parts: [UInt8]...) -> String {
    let blob = ([Array(type.utf8)] + parts).map(string).joined()
    return "\(type) \(Data(blob).base64EncodedString())"
  }

  private static func point(_ bytes: Int) -> [UInt8] {
    [4] + [UInt8](repeating: 7, count: 2 * bytes)
  }

  private static func modulus(bits: Int) -> [UInt8] {
    [0, 0x80] + [UInt8](repeating: 1, count: bits / 8 - 1)
  }

  private static let application = Array("ssh:".utf8)
  private static let exponent: [UInt8] = [1, 0, 1]

  @Test(arguments: [
    line("ssh-ed25519", [UInt8](repeating: 1, count: 32)),
    line("ecdsa-sha2-nistp256", Array("nistp256".utf8), point(32)),
    line("ecdsa-sha2-nistp384", Array("nistp384".utf8), point(48)),
    line("ecdsa-sha2-nistp521", Array("nistp521".utf8), point(66)),
    line("ssh-rsa", exponent, modulus(bits: 2048)),
    line("ssh-rsa", exponent, modulus(bits: 16_384)),
    line("sk-ssh-ed25519@openssh.com", [UInt8](repeating: 1, count: 32), application),
    line(
      "sk-ecdsa-sha2-nistp256@openssh.com", Array("nistp256".utf8), point(32), application),
  ])
  func `keys of every type are taken, with their comment and without`(line: String) throws {
    let key = try SSHPublicKey(line: line + "  ana@\u{1B}[31mlaptop \n")
    #expect(key.line == line)
    #expect(key.comment.hasPrefix("ana@") && !key.comment.contains("\u{1B}"))
    #expect(try SSHPublicKey(line: line).comment.isEmpty)
  }

  @Test func `what OpenSSH makes is taken`() throws {
    let line =
      "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFz18XdlViIt7hcw+JFWLr8f6pPENf8eXH5o+QycijfP"
    #expect(try SSHPublicKey(line: line).type == "ssh-ed25519")
  }

  @Test(arguments: [
    ("", "one line"), ("ssh-ed25519", "public key of the type"),
    ("ssh-dss AAAAB3NzaC1kc3M=", "public key of the type"),
    ("ssh-ed25519 !!!!", "no base64"), ("ssh-ed25519 AAAA", "no base64"),
    ("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n", "private key"),
    (line("ssh-rsa", exponent, modulus(bits: 1024)), "2048 bits"),
    (line("ssh-rsa", exponent, modulus(bits: 16_392)), "damaged"),
    (line("ssh-ed25519", [UInt8](repeating: 1, count: 31)), "damaged"),
    (line("ssh-ed25519", [UInt8](repeating: 1, count: 32), [1]), "damaged"),
    (line("ecdsa-sha2-nistp256", Array("nistp384".utf8), point(32)), "damaged"),
    ("command=\"id\" " + line("ssh-ed25519", [UInt8](repeating: 1, count: 32)), "options"),
    (
      line("ssh-ed25519", [UInt8](repeating: 1, count: 32)) + "\n"
        + line("ssh-ed25519", [UInt8](repeating: 2, count: 32)), "one line"
    ),
    (String(repeating: "a", count: 9000), "too long"),
  ])
  func `what is no key is refused with what to give`(text: String, advice: String) {
    do throws(FieldProblem) {
      _ = try SSHPublicKey(line: text)
      Issue.record("taken: \(text.prefix(60))")
    } catch {
      #expect(error.advice.contains(advice))
    }
  }

  @Test func `a key whose type and content differ is refused`() {
    let other = Self.line("ssh-ed25519", [UInt8](repeating: 1, count: 32))
      .replacingOccurrences(of: "ssh-ed25519", with: "sk-ssh-ed25519@openssh.com")
    #expect(throws: FieldProblem.self) { try SSHPublicKey(line: other) }
  }

  @Test(arguments: ["a.b_c-D9", "x"]) func `a ticket of base64url and dots is plain`(text: String) {
    #expect(SSHTicket(ticket: text).isPlain)
  }

  @Test(arguments: ["", "a b", "a\"", "a\nb", "a;b", "$(id)", String(repeating: "a", count: 5000)])
  func `a ticket that a shell or authorized_keys would read otherwise is not plain`(text: String) {
    #expect(!SSHTicket(ticket: text).isPlain)
  }
}
