import Testing
@Test func `the package builds`() { #expect(Bool(true)) }
