extension String {
  /// The text as character data or an attribute's value of XML, and so of Pango and SVG.
  ///
  /// https://www.w3.org/TR/xml/#syntax
  package var escapedForMarkup: String {
    reduce(into: "") { escaped, character in
      escaped += Self.entities[character] ?? String(character)
    }
  }

  private static let entities: [Character: String] = [
    "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;",
  ]
}
