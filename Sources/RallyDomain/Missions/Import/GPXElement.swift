/// An element of a GPX file with the line it starts on. Of its content there is what Rally reads.
///
/// Elements and attributes of other namespaces are left out, whatever their prefix; those of GPX
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
