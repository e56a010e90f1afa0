import CExpat
import Glibc
import RallySystem
import RallyText
import RallyWire

/// Reads missions from GPX 1.1 (https://www.topografix.com/GPX/1/1/); version 1.0 is accepted too.
///
/// - All waypoints (`wpt`) together are one mission with one objective per waypoint. Its title is
///   the name in the file's metadata, or the file name.
/// - A route (`rte`) is one mission; its points (`rtept`) are the objectives.
/// - A track (`trk`) is one mission without objectives.
///
/// A mission's area is the circle around its points, with a radius of at least 100 m. An
/// objective's radius is 50 m. Points without a name are numbered. Timestamps in the file are
/// ignored: they say when a point was recorded, not when something happens.
struct GPXReader {
  typealias Located = MissionCollector.Located
  typealias Candidate = MissionCollector.Candidate

  /// The radius of an objective, in metres.
  static let objectiveRadius = 50.0

  /// - Parameter fileName: The title of missions for which the file has no name.
  static func read(_ bytes: [UInt8], fileName: String, now: WireTime) -> ImportPreview {
    var collector = MissionCollector(now: now)
    do throws(ImportProblem) {
      let root = try GPXElement(bytes)
      guard root.name == "gpx" else {
        throw ImportProblem(line: root.line, "This is no GPX file: it begins with another element.")
      }
      guard ["1.0", "1.1"].contains(root.attributes["version"] ?? "") else {
        throw ImportProblem(line: root.line, "Only GPX 1.1 is read.")
      }
      let candidates = candidates(of: root, fileName: fileName)
      if candidates.isEmpty {
        throw ImportProblem(line: root.line, "The file has no waypoint, no route and no track.")
      }
      for candidate in candidates {
        guard collector.add(candidate) else { break }
      }
    } catch {
      collector.report(error)
    }
    return collector.preview
  }

  private static func candidates(of root: GPXElement, fileName: String) -> [Candidate] {
    let names = root["metadata"] ?? root
    var candidates: [Candidate] = []
    let waypoints = root.all("wpt")
    if let first = waypoints.first {
      candidates.append(
        candidate(
          first.line, names: names, fallback: fileName, points: waypoints, areObjectives: true))
    }
    for (number, route) in root.all("rte").enumerated() {
      candidates.append(
        candidate(
          route.line, names: route, fallback: "\(fileName), route \(number + 1)",
          points: route.all("rtept"), areObjectives: true))
    }
    for (number, track) in root.all("trk").enumerated() {
      candidates.append(
        candidate(
          track.line, names: track, fallback: "\(fileName), track \(number + 1)",
          points: track.all("trkseg").flatMap { $0.all("trkpt") }, areObjectives: false))
    }
    return candidates
  }

  private static func candidate(
    _ line: Int, names: GPXElement, fallback: String, points: [GPXElement],
    areObjectives: Bool
  ) -> Candidate {
    var candidate = Candidate(line: line)
    candidate.title = text(names["name"]) ?? Located(value: fallback, line: line)
    candidate.brief = text(names["desc"])
    var places: [Coordinate] = []
    for (number, point) in points.enumerated() {
      guard let latitude = point.attributes["lat"].flatMap(Double.init),
        let longitude = point.attributes["lon"].flatMap(Double.init),
        let place = Coordinate(latitude: latitude, longitude: longitude)
      else {
        candidate.problems.append(
          ImportProblem(line: point.line, "This point has no lat and lon on Earth."))
        continue
      }
      places.append(place)
      guard areObjectives else { continue }
      let title = text(point["name"])?.value ?? "Point \(number + 1)"
      candidate.objectives.append(
        Located(
          value: ObjectiveInput(title: title, place: place, radiusMetres: objectiveRadius),
          line: point.line))
    }
    if points.isEmpty {
      candidate.problems.append(ImportProblem(line: line, "There is no point in it."))
    } else if candidate.problems.isEmpty {
      candidate.circle = BoundingCircle(around: places)
      candidate.radiusMetres = candidate.circle.map {
        Located(
          value: max($0.radiusMetres.rounded(.up), MissionCollector.defaultRadius), line: line)
      }
    }
    return candidate
  }

  /// The trimmed text of an element; nil if the element is missing or blank.
  private static func text(_ element: GPXElement?) -> Located<String>? {
    guard let element else { return nil }
    let text = element.text.trimmed
    return text.isEmpty ? nil : Located(value: text, line: element.line)
  }
}

/// Reads a GPX file of an unknown sender through expat.
///
/// Document types are refused, which rules out entities of the file's own and anything that is
/// fetched. The encoding is what the file declares: UTF-8, UTF-16, or one of a byte for each
/// character that the C library has.
///
/// https://libexpat.github.io/doc/api/latest/
final class GPXParser {
  /// What is read within an element; all else is passed over.
  private static let content: [String: Set<String>] = [
    "gpx": ["metadata", "name", "desc", "wpt", "rte", "trk"],
    "metadata": ["name", "desc"],
    "wpt": ["name"],
    "rte": ["name", "desc", "rtept"], "rtept": ["name"],
    "trk": ["name", "desc", "trkseg"], "trkseg": ["trkpt"], "trkpt": ["time"],
  ]
  private static let attributes: Set<String> = ["version", "lat", "lon"]
  /// Stands between a namespace and a name; no namespace contains it: a line break in one is a blank.
  private static let separator: Unicode.Scalar = "\n"

  private let bytes: [UInt8]
  /// How many lines are blank before the document, where XML allows none and files have some.
  private let blankLines: Int
  private let parser: XML_Parser
  /// The namespace of the first element with the separator; empty without one.
  private var namespace: Substring = ""
  private var open: [GPXElement] = []
  /// The elements that are passed over and have not ended yet.
  private var skipped: [String] = []
  private var root: GPXElement?
  private var problem: ImportProblem?

  init(_ bytes: [UInt8]) throws(ImportProblem) {
    let blank = Self.blanks(before: bytes)
    self.bytes = Array(bytes[blank.count...])
    blankLines = String(decoding: blank, as: UTF8.self).count { $0.isNewline }
    guard let parser = XML_ParserCreateNS(nil, XML_Char(Self.separator.value)) else {
      throw ImportProblem(line: 1, "There is no memory left to read the file.")
    }
    self.parser = parser
  }

  deinit { XML_ParserFree(parser) }

  /// - Throws: `ImportProblem` with the line of the first syntax error.
  func document() throws(ImportProblem) -> GPXElement {
    let user = Unmanaged.passUnretained(self).toOpaque()
    XML_SetUserData(parser, user)
    XML_SetElementHandler(
      parser, { GPXParser.of($0).start($1, $2) }, { user, _ in GPXParser.of(user).end() })
    XML_SetCharacterDataHandler(parser) { GPXParser.of($0).text($1, count: $2) }
    XML_SetStartDoctypeDeclHandler(parser) { user, _, _, _, _ in
      GPXParser.of(user).stop("Document types are not read. Take the line out.")
    }
    XML_SetUnknownEncodingHandler(
      parser, { GPXParser.of($0).prepare($2, for: $1) ? 1 : 0 }, user)
    // In one piece: expat reads an unfinished token from its start again with each further piece.
    let status = bytes.withUnsafeBytes {
      XML_Parse(parser, $0.baseAddress?.assumingMemoryBound(to: XML_Char.self), Int32($0.count), 1)
    }
    if let problem { throw problem }
    guard status == XML_STATUS_OK, let root else {
      throw ImportProblem(line: line, sentence(for: XML_GetErrorCode(parser)))
    }
    return root
  }

  private static func of(_ user: UnsafeMutableRawPointer?) -> GPXParser {
    guard let user else { preconditionFailure("expat hands back what it was given") }
    return Unmanaged<GPXParser>.fromOpaque(user).takeUnretainedValue()
  }

  private static func blanks(before bytes: [UInt8]) -> ArraySlice<UInt8> {
    let blank = bytes.prefix { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    // Before a zero it is half a character of UTF-16.
    return bytes.dropFirst(blank.count).first == 0 ? [] : blank
  }

  // MARK: What expat finds

  private func start(
    _ name: UnsafePointer<XML_Char>?, _ values: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
  ) {
    guard problem == nil, let name else { return }
    guard open.count + skipped.count < ImportLimits.depth else {
      return stop("The elements are nested more than \(ImportLimits.depth) deep.")
    }
    let full = String(cString: name)
    let local = full.unicodeScalars.lastIndex(of: Self.separator)
      .map { full.unicodeScalars.index(after: $0) }
    let space = full[..<(local ?? full.startIndex)]
    let short = local.map { String(full[$0...]) } ?? full
    if let parent = open.last {
      guard skipped.isEmpty, space == namespace, Self.content[parent.name]?.contains(short) == true
      else { return skipped.append(short) }
    } else {
      namespace = space
    }
    var element = GPXElement(name: short, line: line)
    var next = values
    while let key = next?[0], let value = next?[1] {
      let key = String(cString: key)
      if Self.attributes.contains(key) { element.attributes[key] = String(cString: value) }
      next = next?.advanced(by: 2)
    }
    open.append(element)
  }

  /// expat ends an empty element also after it was stopped at its start.
  private func end() {
    guard problem == nil, skipped.popLast() == nil, let element = open.popLast() else { return }
    if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
  }

  /// Adds a piece of text, of which an element has several.
  private func text(_ piece: UnsafePointer<XML_Char>?, count: Int32) {
    guard problem == nil, skipped.isEmpty, let element = open.last,
      Self.content[element.name] == nil
    else { return }
    let bytes = UnsafeRawBufferPointer(start: piece, count: Int(count))
    open[open.count - 1].text += String(decoding: bytes, as: UTF8.self)
  }

  private func stop(_ sentence: String) {
    problem = problem ?? ImportProblem(line: line, sentence)
    XML_StopParser(parser, 0)
  }

  /// Tells expat what each byte of an encoding is, by asking the C library.
  ///
  /// - Returns: False if it is not known, or has characters of several bytes.
  private func prepare(
    _ encoding: UnsafeMutablePointer<XML_Encoding>?, for name: UnsafePointer<XML_Char>?
  ) -> Bool {
    guard let encoding, let name else { return false }
    problem = ImportProblem(
      line: 1,
      "The encoding \(String(cString: name).cleanedForDisplay) is not read. "
        + "Save the file as UTF-8.")
    guard let known = SingleByteEncoding(name), known.isComplete else { return false }
    withUnsafeMutableBytes(of: &encoding.pointee.map) { all in
      for (index, scalar) in known.scalars.enumerated() {
        all.storeBytes(
          of: scalar.map { Int32($0.value) } ?? -1, toByteOffset: index * 4, as: Int32.self)
      }
    }
    encoding.pointee.convert = nil
    encoding.pointee.release = nil
    problem = nil
    return true
  }

  // MARK: Errors

  /// The line that expat is at; never past the last one.
  private var line: Int {
    let isPastBreak =
      XML_GetCurrentByteIndex(parser) >= bytes.count && XML_GetCurrentColumnNumber(parser) == 0
    return blankLines + max(1, Int(XML_GetCurrentLineNumber(parser)) - (isPastBreak ? 1 : 0))
  }

  private func sentence(for error: XML_Error) -> String {
    switch error {
    case XML_ERROR_NO_ELEMENTS:
      guard let unfinished = skipped.last ?? open.last?.name else {
        return "The file holds no element."
      }
      return "The file ends before </\(unfinished.cleanedForDisplay)>."
    case XML_ERROR_UNCLOSED_TOKEN: return "The file ends within a comment or a tag."
    case XML_ERROR_UNCLOSED_CDATA_SECTION: return "The file ends within a text."
    case XML_ERROR_TAG_MISMATCH: return "This end tag ends nothing that was begun."
    case XML_ERROR_DUPLICATE_ATTRIBUTE: return "An attribute stands here twice."
    case XML_ERROR_JUNK_AFTER_DOC_ELEMENT: return "Something follows the end of the document."
    case XML_ERROR_UNDEFINED_ENTITY:
      return "This name between & and ; is not known; write the character itself."
    case XML_ERROR_BAD_CHAR_REF: return "This number between &# and ; is no character."
    case XML_ERROR_UNBOUND_PREFIX: return "The prefix of a name is declared nowhere (xmlns)."
    case XML_ERROR_UNKNOWN_ENCODING, XML_ERROR_INCORRECT_ENCODING:
      return "The file is not in the encoding that it declares. Save it as UTF-8."
    case XML_ERROR_INVALID_TOKEN, XML_ERROR_PARTIAL_CHAR: return sentenceForToken
    case XML_ERROR_NO_MEMORY: return "There is no memory left to read the file."
    default: return "The file is no XML from here on."
    }
  }

  /// What is wrong at the byte that expat stopped at.
  private var sentenceForToken: String {
    let index = Int(XML_GetCurrentByteIndex(parser))
    guard bytes.indices.contains(index), bytes[index] < 0x80 else {
      return "This line is not text in the encoding of the file, which is UTF-8 unless declared."
    }
    let before = bytes[..<index].suffix(64).reversed()
    let isName = { (byte: UInt8) in byte >= 0x80 || UnicodeScalar(byte).properties.isAlphabetic }
    if before.drop(while: isName).first == UInt8(ascii: "&") {
      return "A lone & is written &amp;."
    }
    if before.first(where: { $0 != 0x20 }) == UInt8(ascii: "=") {
      return "The value of an attribute stands in quotation marks."
    }
    return bytes[index] == UInt8(ascii: "<") || before.first == UInt8(ascii: "<")
      ? "A < in a text is written &lt;." : "The file is no XML from here on."
  }
}

/// An element of a GPX file with the line it starts on. Of its content there is what Rally reads.
///
/// Elements and attributes of other namespaces are left out, whatever their prefix. Those of GPX
/// are of the namespace of the file's first element, or of none.
struct GPXElement {
  let name: String
  let line: Int
  var attributes: [String: String] = [:]
  var children: [GPXElement] = []
  /// The element's own text, without that of its children; not trimmed.
  var text = ""

  init(name: String, line: Int) {
    self.name = name
    self.line = line
  }

  /// Reads the first element of a file with all that is in it.
  ///
  /// - Throws: `ImportProblem` with the line of the first syntax error.
  init(_ bytes: [UInt8]) throws(ImportProblem) {
    self = try GPXParser(bytes).document()
  }

  /// The first child of this name.
  subscript(name: String) -> GPXElement? { children.first { $0.name == name } }

  func all(_ name: String) -> [GPXElement] { children.filter { $0.name == name } }
}
