import RallyDomain
import RallyTestSupport
import Testing

@Suite struct CapabilitiesTests {
  @Test func `a guest may do nothing on the host, and its owner everything`() {
    #expect(Capabilities.guest.isEmpty)
    for one: Capabilities in [
      .editor, .hostFiles, .hooks, .configuration, .deviceSignals, .processes, .otherServers,
      .suspension,
    ] {
      #expect(Capabilities.owner.contains(one))
    }
  }

  @Test func `a guest's text is given to no editor, and no file is made for it`() async throws {
    let folder = try TemporaryFolder()
    let service = EditorService(folder: "\(folder.path)/own", capabilities: .guest)

    await #expect(throws: EditorService.Problem.notAllowed) {
      try await service.edit("my text", form: "brief", name: "brief") { _, _ in
        Issue.record("An editor was started.")
        return nil
      }
    }

    #expect(!folder.contents.contains { $0.hasPrefix("own") })
  }
}
