import Foundation
import Testing

@testable import RallyRules
@testable import RallyServer

@Suite struct InitialsFaceTests {
  private static let id = UUID(uuidString: "00000000-0000-4000-8000-000000000001")!

  @Test func `a face is a small PNG`() throws {
    let png = InitialsFace.png("AB", for: Self.id)
    #expect(png.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
    #expect(Array(png[12..<16]) == Array("IHDR".utf8))
    #expect(Array(png[16..<24]) == [0, 0, 0, 96, 0, 0, 0, 96])
    #expect(Array(png.suffix(12)) == [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
    #expect(png.count < 1000)
    #expect(png == InitialsFace.png("AB", for: Self.id))
  }

  @Test func `every id has a face of its own`() {
    let faces = TrackerIDs.alphabet.flatMap { first in
      TrackerIDs.alphabet.map { InitialsFace.png("\(first)\($0)", for: Self.id) }
    }
    #expect(Set(faces).count == 36 * 36)
    #expect(faces.allSatisfy { $0.count < 5000 })
    #expect(TrackerIDs.alphabet.allSatisfy { PixelFont.rows(of: $0).contains { $0 > 0 } })
  }
}
