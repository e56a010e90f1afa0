import RallyText

/// An XML element with the line it starts on.
///
/// A parser for untrusted files. It accepts UTF-8 and the five predefined entities, and rejects
/// document types, which rules out external entities and entity expansion. Namespace prefixes are
/// ignored.
struct PositionedXML {
  let name: String
  let line: Int
  var attributes: [String: String] = [:]
  var children: [PositionedXML] = []
  /// The element's own text, without that of its children; not trimmed.
  var text = ""

  /// - Throws: `ImportProblem` with the line of the first syntax error.
  init(_ bytes: [UInt8]) throws(ImportProblem) {
    var parser = XMLReader(source: try SourceLines(bytes))
    self = try parser.document()
  }

  fileprivate init(name: String, line: Int) {
    self.name = name
    self.line = line
  }

  /// The first child of this name.
  subscript(name: String) -> PositionedXML? { children.first { $0.name == name } }

  func all(_ name: String) -> [PositionedXML] { children.filter { $0.name == name } }
}

private struct XMLReader {
  var source: SourceLines
  private var open: [PositionedXML] = []
  private var root: PositionedXML?

  init(source: SourceLines) { self.source = source }

  mutating func document() throws(ImportProblem) -> PositionedXML {
    while let byte = source.peek {
      guard byte == UInt8(ascii: "<") else {
        try text()
        continue
      }
      if source.starts(with: "<!--") {
        try skip(4, past: "-->", "The file ends within a comment.")
      } else if source.starts(with: "<![CDATA[") {
        try rawText()
      } else if source.starts(with: "<!") {
        throw problem("Document types are not read. Take the line out.")
      } else if source.starts(with: "<?") {
        try instruction()
      } else if source.starts(with: "</") {
        try endTag()
      } else {
        try startTag()
      }
    }
    if let unfinished = open.last {
      throw problem("The file ends before </\(unfinished.name.cleanedForDisplay)>.")
    }
    guard let root else { throw problem("The file holds no element.") }
    return root
  }

  // MARK: Tags

  private mutating func startTag() throws(ImportProblem) {
    guard root == nil || !open.isEmpty else {
      throw problem("Something follows the end of the document.")
    }
    guard open.count < ImportLimits.depth else {
      throw problem("The elements are nested more than \(ImportLimits.depth) deep.")
    }
    let line = source.line
    source.advance()
    var element = PositionedXML(name: try name(), line: line)
    while true {
      source.skipSpace()
      if source.starts(with: "/>") {
        source.advance(by: 2)
        return close(element)
      }
      if source.peek == UInt8(ascii: ">") {
        source.advance()
        open.append(element)
        return
      }
      let name = try name()
      source.skipSpace()
      guard source.next() == UInt8(ascii: "=") else {
        throw problem("A value is expected after the name of an attribute.")
      }
      source.skipSpace()
      let value = try attributeValue()
      guard element.attributes.updateValue(value, forKey: name) == nil else {
        throw problem("An attribute stands here twice.")
      }
    }
  }

  private mutating func endTag() throws(ImportProblem) {
    source.advance(by: 2)
    let name = try name()
    source.skipSpace()
    guard source.peek == UInt8(ascii: ">") else { throw problem("A > is expected here.") }
    guard let element = open.popLast(), element.name == name else {
      throw problem("</\(name.cleanedForDisplay)> ends nothing that was begun.")
    }
    source.advance()
    close(element)
  }

  private mutating func close(_ element: PositionedXML) {
    if open.isEmpty {
      root = element
    } else {
      open[open.count - 1].children.append(element)
    }
  }

  /// Reads a name and drops its namespace prefix.
  private mutating func name() throws(ImportProblem) -> String {
    let start = source.offset
    while let byte = source.peek, byte > 0x20, !"<>/=\"'&?".utf8.contains(byte) {
      source.advance()
    }
    guard source.offset > start else { throw problem("A name is expected here.") }
    let name = source.text(from: start)
    return name.split(separator: ":").last.map(String.init) ?? name
  }

  private mutating func attributeValue() throws(ImportProblem) -> String {
    guard let quote = source.peek, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw problem("The value of an attribute stands in quotation marks.")
    }
    source.advance()
    var bytes: [UInt8] = []
    while let byte = source.peek {
      switch byte {
      case quote:
        source.advance()
        return String(decoding: bytes, as: UTF8.self)
      case UInt8(ascii: "&"): bytes += try reference()
      case UInt8(ascii: "<"): throw problem("A < cannot stand in the value of an attribute.")
      default:
        bytes.append(byte)
        source.advance()
      }
    }
    throw problem("The file ends within a tag.")
  }

  // MARK: Text

  private mutating func text() throws(ImportProblem) {
    var bytes: [UInt8] = []
    var hasText = false
    let line = source.line
    while let byte = source.peek, byte != UInt8(ascii: "<") {
      if byte > 0x20 { hasText = true }
      if byte == UInt8(ascii: "&") {
        bytes += try reference()
      } else {
        bytes.append(byte)
        source.advance()
      }
    }
    guard !open.isEmpty else {
      guard !hasText else {
        throw ImportProblem(line: line, "Text stands outside of the document.")
      }
      return
    }
    if hasText { open[open.count - 1].text += String(decoding: bytes, as: UTF8.self) }
  }

  private mutating func rawText() throws(ImportProblem) {
    guard !open.isEmpty else { throw problem("Text stands outside of the document.") }
    let start = source.offset + 9
    try skip(9, past: "]]>", "The file ends within a text.")
    open[open.count - 1].text += String(source.text(from: start).dropLast(3))
  }

  /// `&lt;`, `&#38;`, `&#x26;`
  private mutating func reference() throws(ImportProblem) -> [UInt8] {
    source.advance()
    let start = source.offset
    while let byte = source.peek, byte != UInt8(ascii: ";"), source.offset - start < 12 {
      source.advance()
    }
    let name = source.text(from: start)
    guard source.peek == UInt8(ascii: ";") else { throw problem("A lone & is written &amp;.") }
    source.advance()
    let known = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]
    if let text = known[name] { return Array(text.utf8) }
    let code =
      if name.hasPrefix("#x") { UInt32(name.dropFirst(2), radix: 16) } else if name.hasPrefix("#") {
        UInt32(name.dropFirst())
      } else { UInt32?.none }
    guard let code, code > 0, let scalar = Unicode.Scalar(code) else {
      throw problem("&\(name.cleanedForDisplay); is not known.")
    }
    return Array(String(Character(scalar)).utf8)
  }

  // MARK: Declarations and comments

  private mutating func instruction() throws(ImportProblem) {
    let line = source.line
    let start = source.offset
    try skip(2, past: "?>", "The file ends within an instruction.")
    let text = source.text(from: start).lowercased()
    guard text.hasPrefix("<?xml "), let encoding = text.firstRange(of: "encoding=") else { return }
    let named = text[encoding.upperBound...].dropFirst()
    guard named.hasPrefix("utf-8") || named.hasPrefix("us-ascii") else {
      throw ImportProblem(line: line, "Only UTF-8 is read. Save the file as UTF-8.")
    }
  }

  private mutating func skip(
    _ count: Int, past end: StaticString, _ unfinished: String
  ) throws(ImportProblem) {
    source.advance(by: count)
    while source.peek != nil {
      if source.starts(with: end) { return source.advance(by: end.utf8CodeUnitCount) }
      source.advance()
    }
    throw problem(unfinished)
  }

  private func problem(_ sentence: String) -> ImportProblem {
    ImportProblem(line: source.line, sentence)
  }
}
