import Foundation
import RallyWire
import Testing

@Suite struct InvitationCodeTests {
  @Test(arguments: [
    "7QK2MX9PTF", "7qk2m-x9ptf", " 7QK2M X9PTF\n", "rally://invite/7QK2MX9PTF",
    "RALLY://INVITE/7qk2m-x9ptf?from=ana", "7-Q-K-2-M-X-9-P-T-F",
  ])
  func `a code is understood however it is typed`(_ text: String) throws {
    let code = try InvitationCode(text)
    #expect(code.value == "7QK2MX9PTF")
    #expect(code.description == "7QK2M-X9PTF")
    #expect(code.link == "rally://invite/7QK2MX9PTF")
  }

  @Test func `letters that look like digits are those digits`() throws {
    #expect(try InvitationCode("oOiIlL0011").value == "0011110011")
  }

  @Test(arguments: [
    "", "7QK2M", "7QK2MX9PTFF", "7QK2MX9PTU", "7QK2MX9PT!", "rally://invite/", "7QK2MX9PTÉ",
    "https://invite/7QK2MX9PTF",
  ])
  func `anything else is refused with an example`(_ text: String) {
    #expect {
      try InvitationCode(text)
    } throws: { error in
      let problem = error as? FieldProblem
      return problem?.field == .code && problem?.advice.contains("7QK2M-X9PTF") == true
    }
  }

  @Test func `random numbers make a code of the alphabet, five bits each`() throws {
    let code = try #require(InvitationCode(randomNumbers: [0, 31, 32, 63, 10, 18, 20, 21, 255, 1]))
    #expect(code.value == "0Z0ZAJMNZ1")
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
