import Foundation
import RallyTestSupport
import Testing

@testable import RallyDomain
@testable import RallySystem

struct ConfigurationWatchTests {
  private let folder: TemporaryFolder
  private let service: ConfigurationService

  init() throws {
    folder = try TemporaryFolder()
    service = ConfigurationService(file: folder.file("config/rally/config.toml"))
  }

  private func save(_ text: String, at path: String? = nil, atomically: Bool = false) throws {
    let url = URL(filePath: path ?? service.file)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url, options: atomically ? .atomic : [])
  }

  /// The glyphs that the next reading sets; what comes in between is passed over.
  private func wait(
    for glyphs: MapGlyphSetting, in readings: inout AsyncStream<ConfigurationLoadResult>.Iterator
  ) async -> Bool {
    while let reading = await readings.next(isolation: #isolation) {
      if reading.configuration.mapGlyphs == glyphs { return true }
    }
    return false
  }

  @Test(.timeLimit(.minutes(3)))
  func `a file is read again when it is written, replaced, taken away and made`() async throws {
    try save("[map]\nglyphs = \"braille\"")
    let watch = ConfigurationWatch(service: service)
    var readings = watch.changes(since: service.load()).makeAsyncIterator()

    try save("[map]\nglyphs = \"ascii\"")
    #expect(await wait(for: .ascii, in: &readings))
    try save("[map]\nglyphs = \"blocks\"", atomically: true)
    #expect(await wait(for: .blocks, in: &readings))
    try FileManager.default.removeItem(atPath: service.file)
    #expect(await wait(for: .auto, in: &readings))
    try save("[map]\nglyphs = \"ascii\"")
    #expect(await wait(for: .ascii, in: &readings))
    watch.stop()
    #expect(await readings.next() == nil)
  }

  @Test(.timeLimit(.minutes(3)))
  func `a folder that does not exist yet is waited for`() async throws {
    let watch = ConfigurationWatch(service: service)
    var readings = watch.changes(since: service.load()).makeAsyncIterator()
    try save("[map]\nglyphs = \"ascii\"")
    #expect(await wait(for: .ascii, in: &readings))
    // By now the folder itself is watched.
    try save("[map]\nglyphs = \"blocks\"")
    #expect(await wait(for: .blocks, in: &readings))
  }

  @Test(.timeLimit(.minutes(3)))
  func `a change behind a link is seen`() async throws {
    let target = folder.file("dotfiles/rally.toml")
    try save("[map]\nglyphs = \"ascii\"", at: target)
    try save("")
    try FileManager.default.removeItem(atPath: service.file)
    try FileManager.default.createSymbolicLink(
      atPath: service.file, withDestinationPath: "../../dotfiles/rally.toml")
    let watch = ConfigurationWatch(service: service)
    var readings = watch.changes(since: service.load()).makeAsyncIterator()
    try save("[map]\nglyphs = \"blocks\"", at: target)
    #expect(await wait(for: .blocks, in: &readings))
  }

  @Test(.timeLimit(.minutes(3)))
  func `the same content is no news, and what was missed before the watch is`() async throws {
    try save("[map]\nglyphs = \"ascii\"")
    let before = service.load()
    try save("[map]\nglyphs = \"blocks\"")
    let watch = ConfigurationWatch(service: service)
    var readings = watch.changes(since: before).makeAsyncIterator()
    #expect(await readings.next()?.configuration.mapGlyphs == .blocks)
    // Saved again as it was, then changed: the first reading is of the change.
    try save("[map]\nglyphs = \"blocks\"")
    try save("[map]\nglyphs = \"ascii\"")
    #expect(await readings.next()?.configuration.mapGlyphs == .ascii)
  }

  @Test(.timeLimit(.minutes(3)))
  func `a broken file is news as well`() async throws {
    let watch = ConfigurationWatch(service: service)
    var readings = watch.changes(since: service.load()).makeAsyncIterator()
    try save("[map")
    var reading = await readings.next()
    // The folder may be seen before the file.
    while reading != nil, reading?.isBroken != true { reading = await readings.next() }
    #expect(reading?.problems.first?.line == 1)
  }

  @Test(.timeLimit(.minutes(3)))
  func `without inotify the file is read again and again`() async throws {
    let watch = ConfigurationWatch(
      service: service, folderWatch: FolderWatch(inotify: -1, interval: 10))
    var readings = watch.changes(since: service.load()).makeAsyncIterator()
    try save("[map]\nglyphs = \"ascii\"")
    #expect(await wait(for: .ascii, in: &readings))
    try save("[map]\nglyphs = \"blocks\"")
    #expect(await wait(for: .blocks, in: &readings))
  }
}
