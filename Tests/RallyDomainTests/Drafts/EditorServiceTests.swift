import Foundation
import RallyTestSupport
import Testing

@testable import RallyDomain
@testable import RallySystem

/// A text goes to an editor and comes back, or stays in its file.
@Suite struct EditorServiceTests {
  private let folder: TemporaryFolder
  private let service: EditorService

  init() throws {
    folder = try TemporaryFolder()
    service = EditorService(folder: folder.file("editing"))
  }

  /// What lies in the service's folder, without what says where it came from.
  private var files: [String] {
    let all = FileManager.default.enumerator(atPath: folder.file("editing"))
    return (all?.allObjects as? [String] ?? []).filter { $0.hasSuffix(".txt") }
  }

  /// Edits with a program that does this to the file, and ends so.
  private func edit(
    _ text: String = "before", form: String = "brief", service: EditorService? = nil,
    failing failure: String? = nil, _ act: @escaping @Sendable (_ file: String) throws -> Void
  ) async throws -> EditorService.Edited {
    try await (service ?? self.service).edit(text, form: form, name: "brief") { _, arguments in
      do {
        try act(arguments.last ?? "")
      } catch {
        return "did not act: \(error)"
      }
      return failure
    }
  }

  private func write(_ text: String) -> @Sendable (_ file: String) throws -> Void {
    { try text.write(toFile: $0, atomically: false, encoding: .utf8) }
  }

  @Test func `the file stays until the text is in the form`() async throws {
    let edited = try await edit { file in
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "before\n")
      try Data("first line\n\n second \n".utf8).write(to: URL(filePath: file))
      try Data().write(to: URL(filePath: file + "~"))
    }
    #expect(edited.text == "first line second")
    #expect(edited.given == "before")
    #expect(files.count == 1)
    #expect(await service.kept(form: "brief") == edited)
    await service.discard(edited)
    #expect(!FileManager.default.fileExists(atPath: folder.file("editing")))
    #expect(await service.kept(form: "brief") == nil)
  }

  @Test func `a program edits the file in place, replaces it, fails or is missing`() async throws {
    func edit(with editor: String) async throws -> EditorService.Edited {
      try await service.edit("before noon", form: "brief", name: "brief") { program, arguments in
        do {
          let run = try await CommandRun.of(
            program, Array(arguments.dropFirst()),
            environment: ["PATH": "/usr/bin:/bin", "VISUAL": editor])
          return run.succeeded ? nil : "\(run.status)"
        } catch {
          return "did not start"
        }
      }
    }
    let inPlace = try await edit(with: "sh -c 'printf \"at noon\\n\" >\"$1\"' sh")
    #expect(inPlace.text == "at noon")
    await service.discard(inPlace)
    // By another file of the same name, as most editors save.
    let replaced = try await edit(with: "sed -i s/before/after/")
    #expect(replaced.text == "after noon")
    await service.discard(replaced)
    await #expect(throws: EditorService.Problem.self) { try await edit(with: "false") }
    await #expect(throws: EditorService.Problem.self) { try await edit(with: "no-such-editor") }
    #expect(files.isEmpty)
  }

  @Test func `what an editor saved before it failed is kept, for its form and its person`()
    async throws
  {
    let (ana, bob) = (UUID(), UUID())
    let anas = EditorService(folder: folder.file("editing")) { ana }
    let bobs = EditorService(folder: folder.file("editing")) { bob }
    let path = folder.file("editing")
    await #expect {
      _ = try await edit(service: anas, failing: "ended with status 1", write("an hour"))
    } throws: { error in
      guard case .failed("ended with status 1", let kept?) = error as? EditorService.Problem else {
        return false
      }
      return kept.hasPrefix(path)
        && (error as? EditorService.Problem)?.sentence.contains(kept) == true
    }
    #expect(await anas.kept(form: "message") == nil)
    #expect(await bobs.kept(form: "brief") == nil)
    let kept = try #require(await anas.kept(form: "brief"))
    #expect(kept.text == "an hour")
    await anas.discard(kept)
    #expect(files.isEmpty)
  }

  @Test func `an editor that fails and saved nothing leaves nothing`() async throws {
    await #expect(throws: EditorService.Problem.failed("ended with status 1", kept: nil)) {
      _ = try await edit(failing: "ended with status 1") { _ in }
    }
    await #expect(throws: EditorService.Problem.failed("removed the file", kept: nil)) {
      _ = try await edit { try FileManager.default.removeItem(atPath: $0) }
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file("editing")))
  }

  @Test func `what an editor crashed with is edited again with what it left beside it`()
    async throws
  {
    await #expect(throws: EditorService.Problem.self) {
      _ = try await edit(failing: "was ended by signal 11") { file in
        let swap = URL(filePath: file).deletingLastPathComponent().appending(path: ".brief.txt.swp")
        try Data("unsaved".utf8).write(to: swap)
      }
    }
    let edited = try await edit("other") { file in
      let swap = URL(filePath: file).deletingLastPathComponent().appending(path: ".brief.txt.swp")
      #expect(FileManager.default.fileExists(atPath: swap.path))
      try Data("restored".utf8).write(to: URL(filePath: file))
    }
    #expect(edited.text == "restored")
  }

  @Test(arguments: [Data([0x4B, 0xF6, 0x6C, 0x6E]), Data(repeating: 0x78, count: 70_000)])
  func `what is no text of a form stays in its file, which is edited again`(content: Data)
    async throws
  {
    let problem = await #expect(throws: EditorService.Problem.self) {
      _ = try await edit { try content.write(to: URL(filePath: $0)) }
    }
    #expect(problem?.sentence.contains(folder.file("editing")) == true)
    #expect(await service.kept(form: "brief") == nil)
    let edited = try await edit { file in
      #expect(try Data(contentsOf: URL(filePath: file)) == content)
      try Data("mended".utf8).write(to: URL(filePath: file))
    }
    #expect(edited.text == "mended")
    #expect(files.count == 1)
  }

  @Test func `an editor that does not wait is told of, and what its window saves is kept`()
    async throws
  {
    let problem = await #expect(throws: EditorService.Problem.self) {
      _ = try await edit { _ in }
    }
    guard case .didNotWait(let kept)? = problem else {
      Issue.record("\(String(describing: problem))")
      return
    }
    #expect(await service.kept(form: "brief") == nil)
    // The same file is given once more, with what the form has by then.
    _ = try? await edit("meanwhile") { (file: String) throws in
      #expect(file == kept)
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "meanwhile\n")
    }
    try Data("from the window".utf8).write(to: URL(filePath: kept))
    #expect(await service.kept(form: "brief")?.text == "from the window")
  }

  @Test func `a text that another Rally has in an editor is not offered`() async throws {
    let (saved, save) = AsyncStream.makeStream(of: Void.self)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    async let edited = service.edit("before", form: "brief", name: "brief") { _, arguments in
      try? Data("half".utf8).write(to: URL(filePath: arguments.last ?? ""))
      save.finish()
      for await _ in ended {}
      return nil
    }
    for await _ in saved {}
    #expect(await service.kept(form: "brief") == nil)
    end.finish()
    #expect(try await edited.text == "half")
  }

  @Test func `what nobody wrote anything into for a day goes`() async throws {
    _ = try? await edit(form: "other") { _ in }
    #expect(files.count == 1)
    let file = folder.file("editing/\(try #require(files.first))")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -90_000)], ofItemAtPath: file)
    #expect(await service.kept(form: "brief") == nil)
    #expect(files.isEmpty)
  }

  @Test func `signing out takes all texts`() async throws {
    _ = try? await edit(failing: "ended with status 1", write("an hour"))
    try service.forget()
    #expect(!FileManager.default.fileExists(atPath: folder.file("editing")))
  }

  @Test(arguments: [
    (["VISUAL": "printf '%s|' 'a b' \"\""], "a b||FILE|"),
    (["EDITOR": "printf '%s|' a  b"], "a|b|FILE|"),
    (["VISUAL": "", "EDITOR": "X=1 printf '%s|'"], "FILE|"),
    (["VISUAL": "cd /; printf '%s|' \"$PWD\""], "/|FILE|"),
  ])
  func `the shell reads the name of the editor as its own text`(
    variables: [String: String], output: String
  ) async throws {
    let command = EditorService.command("FILE")
    let run = try await CommandRun.of(
      command.executable, Array(command.arguments.dropFirst()),
      environment: variables.merging(["PATH": "/usr/bin:/bin"]) { $1 })
    #expect(run.output == output)
  }
}
