import Foundation
import RallyWire
import Testing

@Suite struct InvitationCodeTests {
  @Test(arguments: [
    "7QK2MX9PTFH3W8RT", "7qk2-mx9p-tfh3-w8rt", " 7QK2 MX9P TFH3 W8RT\n",
    "rally://invite/7QK2MX9PTFH3W8RT", "RALLY://INVITE/7qk2-mx9p-tfh3-w8rt?from=ana",
  ])
  func `a code is understood however it is typed`(_ text: String) throws {
    let code = try InvitationCode(text)
    #expect(code.value == "7QK2MX9PTFH3W8RT")
    #expect(code.description == "7QK2-MX9P-TFH3-W8RT")
    #expect(code.link == "rally://invite/7QK2MX9PTFH3W8RT")
    #expect(code.isLong)
  }

  @Test(arguments: [
    "7QK2MX9PTF", "7qk2m-x9ptf", " 7QK2M X9PTF\n", "rally://invite/7QK2MX9PTF",
    "RALLY://INVITE/7qk2m-x9ptf?from=ana", "7-Q-K-2-M-X-9-P-T-F",
  ])
  func `an older code of ten characters is still one`(_ text: String) throws {
    let code = try InvitationCode(text)
    #expect(!code.isLong)
    #expect(code.value == "7QK2MX9PTF")
    #expect(code.description == "7QK2M-X9PTF")
    #expect(code.link == "rally://invite/7QK2MX9PTF")
  }

  @Test func `letters that look like digits are those digits`() throws {
    #expect(try InvitationCode("oOiIlL0011").value == "0011110011")
  }

  @Test(arguments: [
    "", "7QK2M", "7QK2MX9PTFF", "7QK2MX9PTFH3W8R", "7QK2MX9PTFH3W8RTT", "7QK2MX9PTU", "7QK2MX9PT!",
    "rally://invite/", "7QK2MX9PTÉ",
    "https://invite/7QK2MX9PTF",
  ])
  func `anything else is refused with an example`(_ text: String) {
    #expect {
      try InvitationCode(text)
    } throws: { error in
      let problem = error as? FieldProblem
      return problem?.field == .code && problem?.advice.contains(InvitationCode.example) == true
    }
  }

  @Test func `random numbers make a code of the alphabet, five bits each`() throws {
    let numbers: [UInt8] = [0, 31, 32, 63, 10, 18, 20, 21, 255, 1, 2, 3, 4, 5, 6, 7]
    let code = try #require(InvitationCode(randomNumbers: numbers))
    #expect(code.value == "0Z0ZAJMNZ1234567")
    #expect(try InvitationCode(code.value) == code)
    #expect(InvitationCode(randomNumbers: [1, 2, 3]) == nil)
    #expect(Set(InvitationCode.alphabet).count == 32)
  }

  @Test func `it is one string on the wire`() throws {
    let code = try InvitationCode("7qk2m-x9ptf")
    #expect(try WireJSON.text(code) == #""7QK2MX9PTF""#)
    #expect(try WireJSON.decode(InvitationCode.self, from: Data(#""7QK2M-X9PTF""#.utf8)) == code)
    #expect(throws: FieldProblem.self) {
      try WireJSON.decode(InvitationCode.self, from: Data(#""x""#.utf8))
    }
  }
}
