import Foundation
import Testing

/// The arrows inside the interface that the package manager cannot guard:
/// screens look at views, views at drawing, and the terminal at drawing.
@Suite struct ArrowTests {
  private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/RallyTUI")

  private func files(_ room: String) throws -> [(name: String, text: String)] {
    let folder = Self.sources.appending(path: room)
    let paths = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return try (paths?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
      .map { file in
        let text = try String(contentsOf: file, encoding: .utf8)
        return (file.lastPathComponent, text.replacing(/(?m)\/\/.*$/, with: ""))
      }
  }

  private func types(_ room: String) throws -> Set<String> {
    let declaration = /(?m)^(?:public )?(?:final )?(?:class|struct|enum|protocol|actor) (\w+)/
    return Set(try files(room).flatMap { $0.text.matches(of: declaration).map { String($0.1) } })
  }

  @Test(arguments: [
    ("Drawing", "Views"), ("Drawing", "Terminal"), ("Drawing", "Screens"),
    ("Views", "Terminal"), ("Views", "Screens"), ("Terminal", "Views"), ("Terminal", "Screens"),
    ("Screens", "Terminal"),
  ])
  func `no room names what it may not know`(_ room: String, _ hidden: String) throws {
    let names = try types(hidden)
    for file in try files(room) {
      let words = Set(file.text.matches(of: /\b[A-Z]\w+\b/).map { String($0.0) })
      #expect(words.isDisjoint(with: names), "\(file.name): \(words.intersection(names))")
    }
  }

  @Test func `one file speaks to ncurses`() throws {
    let importing = try files("").filter { $0.text.contains("import CNcurses") }.map(\.name)
    #expect(importing == ["NcursesTerminal.swift"])
  }
}
