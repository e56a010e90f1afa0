import Foundation
import RallyText
import Testing

/// What is done with any text: trimming, escapes of URLs, paths and numbers.
struct PlainTextTests {
  @Test func `blanks and line breaks at the ends go, as in Foundation`() {
    let others = (UInt32(0)..<0x30000).compactMap(Unicode.Scalar.init).filter { scalar in
      let text = "\(scalar)a \(scalar) b\(scalar)\(scalar)"
      return text.trimmed != text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
    #expect(others.isEmpty)
    #expect("".trimmed.isEmpty)
    #expect(" \n\r\n\u{200B}".trimmed.isEmpty)
    #expect("  a  b ".dropFirst().trimmed == "a  b")
  }

  @Test func `a part of a URL is encoded and decoded byte by byte`() throws {
    #expect("a-._~Z9 /&%é".percentEncoded() == "a-._~Z9%20%2F%26%25%C3%A9")
    #expect("/tmp/a b\n".percentEncoded(keeping: "/") == "/tmp/a%20b%0A")
    for text in ["", "abc", "Ana & Ben/100%", "漢字 👨‍👩‍👧"] {
      #expect(text.percentEncoded().percentDecoded == text)
      #expect(text.percentEncoded().removingPercentEncoding == text)
    }
    #expect("a%2fb".percentDecoded == "a/b")
    for broken in ["%", "a%4", "%zz", "%ff", "%C3%28"] { #expect(broken.percentDecoded == nil) }
  }

  @Test(arguments: [
    ("/a/b", "/a", "b"), ("/a/b/", "/a", "b"), ("/a", "/", "a"), ("/", "/", ""), ("a", "", "a"),
    ("", "", ""), ("a//b//", "a", "b"), ("../x", "..", "x"), ("//", "/", ""),
    ("/a/\u{301}b", "/a", "\u{301}b"),
  ])
  func `a path has a folder and a name`(path: String, parent: String, name: String) {
    #expect(path.parentPath == parent)
    #expect(path.fileName == name)
  }

  @Test(arguments: [
    ("/x/lisbon.pmtiles", "lisbon"), ("a.b.c", "a.b"), (".hidden", ".hidden"), ("..", ".."),
    ("a", "a"), ("/x.y/", "x"), ("", ""),
  ])
  func `a name ends before its extension`(path: String, stem: String) {
    #expect(path.fileStem == stem)
  }

  @Test func `numbers are rounded as printf rounds them`() {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<2000 {
      let number = Double.random(in: -1000...1000, using: &random)
      for decimals in [1, 4, 6] {
        #expect(number.text(decimals: decimals) == String(format: "%.\(decimals)f", number))
      }
    }
    for number in [0.05, 0.25, 0.35, -0.04, 38.72, 1e300, 0] {
      #expect(number.text(decimals: 1) == String(format: "%.1f", number))
    }
  }
}
