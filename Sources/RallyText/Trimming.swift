extension StringProtocol {
  /// The text without white space and line breaks at its ends, also without zero-width spaces.
  package var trimmed: String {
    func isBlank(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.isWhitespace || scalar.value == 0x200B
    }
    let scalars = unicodeScalars.drop(while: isBlank)
    guard let last = scalars.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(self[scalars.startIndex..<scalars.index(after: last)])
  }
}
