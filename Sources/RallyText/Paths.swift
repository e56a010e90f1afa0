extension StringProtocol {
  /// The folder that a path lies in: `/a` for `/a/b` and `/a/b/`, `/` for `/a` and `/`; empty for a
  /// name alone.
  package var parentPath: String {
    let whole = withoutEndingSlashes
    guard let slash = whole.unicodeScalars.lastIndex(of: "/") else { return "" }
    let parent = whole[..<slash].withoutEndingSlashes
    return parent.isEmpty ? "/" : String(parent)
  }

  /// The last name of a path: `b` for `/a/b` and `/a/b/`; empty for `/`.
  package var fileName: String {
    let whole = withoutEndingSlashes
    guard let slash = whole.unicodeScalars.lastIndex(of: "/") else { return String(whole) }
    return String(whole[whole.unicodeScalars.index(after: slash)...])
  }

  /// Whether it is absolute and of letters, digits and `._+-` only, so that it means itself in every
  /// file of settings and to every shell.
  package var isPlainPath: Bool {
    hasPrefix("/")
      && utf8.allSatisfy { $0.isAlphanumeric(or: "/._+-") }
  }

  /// The last name of a path without its extension: `b` for `/a/b.json`, `.b` for `/a/.b`.
  package var fileStem: String {
    let name = fileName
    guard let dot = name.unicodeScalars.lastIndex(of: "."),
      name[..<dot].contains(where: { $0 != "." })
    else { return name }
    return String(name[..<dot])
  }

  private var withoutEndingSlashes: SubSequence {
    var rest = self[...]
    while rest.unicodeScalars.last == "/", rest.unicodeScalars.count > 1 {
      rest = rest[..<rest.unicodeScalars.index(before: rest.endIndex)]
    }
    return rest
  }
}
